/** The form of a sign-in provider, which several parts of its drawer edit. */
import type { IdentityProviderForm } from "@gateway/shared/accounts/identity-provider";
import type { z } from "zod";
import type { SchemaForm } from "#ui/form/form.ts";

export type ProviderForm = SchemaForm<z.input<typeof IdentityProviderForm>>;
