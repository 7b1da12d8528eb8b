import { useMediaQuery } from "@mantine/hooks";

/** 600 px or less, kept in step with the window. */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 37.5em)", undefined, { getInitialValueInEffect: false }) ?? false;
}

/** Below 960 px the menu is a drawer. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 59.99em)", undefined, { getInitialValueInEffect: false }) ?? false;
}
