/** The second input of a new password, for forms that ask for it twice. */
import { because } from "@gateway/shared/errors/issue";

export const passwordsMatch = (form: { password: string; repeat: string }) => form.password === form.repeat;

/** The error of the second input. */
export const passwordsDiffer = { path: ["repeat"], error: because("passwords_differ") };
