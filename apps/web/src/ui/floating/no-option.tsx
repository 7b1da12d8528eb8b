import type { ReactNode } from "react";

/** A message in place of options. A list of options may contain nothing else. */
export function NoOption({ children }: { children: ReactNode }) {
  return (
    <span role="option" aria-selected={false} aria-disabled>
      {children}
    </span>
  );
}
