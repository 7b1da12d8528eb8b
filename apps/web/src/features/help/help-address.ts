import { useLocation } from "react-router-dom";

/** Returns the address of a page of Help: in the console for readers who are there, public for others. */
export function useHelpAddress(): (page: string, anchor?: string) => string {
  const root = useLocation().pathname.startsWith("/panel") ? "/panel/help" : "/help";
  return (page, anchor = "") => `${root}${page && `/${page}`}${anchor && `#${anchor}`}`;
}
