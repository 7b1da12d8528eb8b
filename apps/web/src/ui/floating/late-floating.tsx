/**
 * Menus and popovers whose code is loaded while the page rests, or when their button is used. A closed one is only its
 * button, so that a list with hundreds of them stays fast.
 */
import { useMergedRef, useMounted } from "@mantine/hooks";
import {
  cloneElement,
  createContext,
  type ReactElement,
  type ReactNode,
  type Ref,
  type RefObject,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { loadFloatingAhead, withFloating } from "./load-floating.ts";

export type ButtonProps = {
  ref?: Ref<HTMLElement>;
  onClick?: (event: never) => void;
  onFocus?: (event: never) => void;
  onPointerEnter?: (event: never) => void;
};

type TargetProps = { children: ReactElement<ButtonProps> };

type Place = {
  /** Whether the real part has replaced the closed button. */
  present: boolean;
  /** What opens: "menu" or "dialog". */
  kind: "menu" | "dialog";
  /** Undefined when the owner of the part opens it. */
  onToggle: (() => void) | undefined;
  /** Whether the button had the focus when it was replaced. */
  focused: RefObject<boolean>;
};

const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  const place = use(PlaceContext);
  if (!place) throw new Error("This belongs into a menu or a popover.");
  return place;
}

type OpenProps = { opened?: boolean; onChange?: (opened: boolean) => void };

type LateFloatingProps = OpenProps & {
  kind: Place["kind"];
  /** Called when the closed button opens it. Later, the real part calls its own handler. */
  onFirstOpen?: (() => void) | undefined;
  children: ReactNode;
  /** Renders the real part. */
  whole: (state: { opened: boolean; onChange: (opened: boolean) => void }) => ReactNode;
};

export function LateFloating(props: LateFloatingProps) {
  const { kind, opened, onChange, onFirstOpen, children, whole } = props;
  const [present, setPresent] = useState(false);
  const [own, setOwn] = useState(false);
  const focused = useRef(false);
  const owned = opened === undefined;
  const wanted = owned ? own : opened;
  useEffect(() => {
    if (wanted && !present) withFloating(() => setPresent(true));
  }, [wanted, present]);
  const change = (next: boolean) => {
    if (owned) setOwn(next);
    onChange?.(next);
  };
  const toggle = () => {
    change(!own);
    if (!present && !own) onFirstOpen?.();
  };
  const place: Place = { present, kind, onToggle: owned ? toggle : undefined, focused };
  return (
    <PlaceContext value={place}>
      {present ? <Present opened={wanted} onChange={change} whole={whole} /> : children}
    </PlaceContext>
  );
}

type PresentProps = Pick<LateFloatingProps, "whole"> & Required<OpenProps>;

/** Appears closed, so that the real part notes which element has the focus before it opens. */
function Present({ opened, onChange, whole }: PresentProps) {
  const mounted = useMounted();
  return whole({ opened: opened && mounted, onChange });
}

/**
 * Returns the button of a menu or popover.
 * @param Loaded the button once that is loaded
 */
export function lateTarget(Loaded: (props: TargetProps) => ReactNode): (props: TargetProps) => ReactNode {
  return function Target({ children }) {
    return usePlace().present ? <Loaded>{children}</Loaded> : <ClosedTarget>{children}</ClosedTarget>;
  };
}

/** The button while the menu or popover is closed and not loaded. */
function ClosedTarget({ children }: TargetProps) {
  const { kind, onToggle, focused } = usePlace();
  const button = useRef<HTMLElement>(null);
  const { props } = children;
  const ref = useMergedRef(button, props.ref);
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      focused.current = element !== null && element === document.activeElement;
    };
  }, [focused]);
  return cloneElement(children, {
    ref,
    ...({ "aria-haspopup": kind, "aria-expanded": false } as object),
    onPointerEnter: after(props.onPointerEnter, loadFloatingAhead),
    onFocus: after(props.onFocus, loadFloatingAhead),
    ...(onToggle ? { onClick: after(props.onClick, onToggle) } : {}),
  });
}

/** Returns the button that takes the place of the closed one, with the focus if that had it. */
export function useSameButton(children: ReactElement<ButtonProps>): ReactElement<ButtonProps> {
  const { focused } = usePlace();
  const button = useRef<HTMLElement>(null);
  const ref = useMergedRef(button, children.props.ref);
  useLayoutEffect(() => {
    if (focused.current) button.current?.focus();
  }, [focused]);
  return cloneElement(children, { ref });
}

/** Calls the element's own handler first. */
export function after(own: ((event: never) => void) | undefined, then: () => void): (event: never) => void {
  return (event) => {
    own?.(event);
    then();
  };
}
