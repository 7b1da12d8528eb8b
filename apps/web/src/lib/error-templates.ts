/** The messages of every error. Loaded when the first error arrives: the first page must not pay for them. */
export { templateOf } from "@gateway/shared/errors";
