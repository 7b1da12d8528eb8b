/** The messages of all errors. Loaded with the first error, so that the first page does not include them. */
export { findCodes, templateOf } from "@gateway/shared/errors";
