/**
 * Returns the address of a model's page: in the console for users of the console, else on the public site.
 */
import { useLocation } from "react-router-dom";

export function modelAddress(model: string, inConsole: boolean): string {
  return `${inConsole ? "/panel/model_price" : "/models"}/${encodeURIComponent(model)}`;
}

export function useInConsole(): boolean {
  return useLocation().pathname.startsWith("/panel");
}
