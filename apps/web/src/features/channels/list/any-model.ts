/** Address value while no model is selected. */
export const ANY_MODEL = "model";
