import { cloneElement, type ComponentType, type ReactElement, useState } from "react";
import { LatePart } from "#ui/late-part.tsx";

type ButtonProps = { onClick?: () => void; "aria-haspopup"?: "menu"; "aria-expanded"?: boolean };

/**
 * A menu whose code is loaded, already open, on the first click, so that the first page does not include it.
 */
export function LateMenu({
  Menu,
  children,
}: {
  Menu: ComponentType<{ button: ReactElement<ButtonProps> }>;
  children: ReactElement<ButtonProps>;
}) {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(children, {
    onClick: () => setWanted(true),
    "aria-haspopup": "menu",
    "aria-expanded": false,
  });
  if (!wanted) return closed;
  return (
    <LatePart fallback={closed}>
      <Menu button={children} />
    </LatePart>
  );
}
