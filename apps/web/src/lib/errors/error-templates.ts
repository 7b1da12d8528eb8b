/** The messages of all errors. Loaded with the first error, so that the first page does not include them. */
export { templateOf } from "@gateway/shared/errors";
