/** Where a model's page is: in the console for those who are there, else on the public site. */
import { useLocation } from "react-router-dom";

export function modelAddress(model: string, inConsole: boolean): string {
  return `${inConsole ? "/panel/model_price" : "/models"}/${encodeURIComponent(model)}`;
}

export function useInConsole(): boolean {
  return useLocation().pathname.startsWith("/panel");
}
