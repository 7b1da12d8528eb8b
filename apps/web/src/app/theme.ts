/** The theme: colours, typography, shapes. All components take their styles from it. */
import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
  mergeThemeOverrides,
} from "@mantine/core";
import type { MouseEvent } from "react";
import classes from "./theme.module.css";

/** The accent colour, for interactive elements only. */
const iris: MantineColorsTuple = [
  "#eff1fe",
  "#dfe3fd",
  "#bfc6fa",
  "#9aa5f6",
  "#7a86f1",
  "#5a65e6",
  "#4650dc",
  "#3a42be",
  "#2f3698",
  "#252b78",
];

const gray: MantineColorsTuple = [
  "#f7f8fa",
  "#f0f2f6",
  "#e5e8ee",
  "#d9dde6",
  "#c2c8d4",
  "#98a1b2",
  "#646e82",
  "#4f586b",
  "#343c4d",
  "#1b212e",
];

const dark: MantineColorsTuple = [
  "#d8dde7",
  "#b3bac9",
  "#8d96a9",
  "#646e82",
  "#3c4556",
  "#232936",
  "#1b202b",
  "#14181f",
  "#0d0f14",
  "#090b0f",
];

const green: MantineColorsTuple = [
  "#e9f8f0",
  "#d3f0e0",
  "#a6e0c2",
  "#72cea0",
  "#45bb81",
  "#24a669",
  "#158755",
  "#0f6c44",
  "#0c5637",
  "#08432b",
];

const amber: MantineColorsTuple = [
  "#fef5e4",
  "#fcebc9",
  "#f8d693",
  "#f2be58",
  "#e6a52d",
  "#cc8812",
  "#9d6507",
  "#7f5006",
  "#674107",
  "#503306",
];

const red: MantineColorsTuple = [
  "#fdeeee",
  "#fbdcdc",
  "#f6b9b9",
  "#ef9090",
  "#e76969",
  "#dc4a4a",
  "#c62f2f",
  "#a32525",
  "#821f1f",
  "#661919",
];

/** The fonts depend on the language, see global.css. */
const sans = "var(--sans)";

/** The `header` element of an overlay would be a second banner landmark beside the page's own. */
/**
 * The page behind a dialog does not scroll, because wheel and touch are ignored. Its scroll bar stays: hiding it makes
 * the browser lay out a long list twice.
 */
const scrollLock = { removeScrollBar: false, allowPinchZoom: true };

const floating = { header: { role: "none" } };

/** A title without spaces, such as a user name, would push the close button out of its corner. */
const longTitle = { overflowWrap: "anywhere" } as const;

/** The list of options scrolls, not an area in it: only a list may be scrolled without a focus of its own. */
const ownScroll = { defaultProps: { withScrollArea: false } };
// Three short pills and the place to type share a line on a phone.
const pills = { ...ownScroll, styles: { inputField: { minWidth: 64 } } };

/** What is typed next replaces the name of the selected option. Without a search, the input is read-only. */
function selectSearchText({ currentTarget }: MouseEvent<HTMLInputElement>): void {
  if (!currentTarget.readOnly) currentTarget.select();
}

const theme = createTheme({
  colors: { iris, gray, dark, green, amber, red },
  primaryColor: "iris",
  primaryShade: { light: 6, dark: 5 },
  white: "#ffffff",
  black: "#1b212e",
  fontFamily: sans,
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, Menlo, Consolas, monospace',
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "18px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.45" },
  headings: {
    fontFamily: sans,
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "24px", lineHeight: "1.3" },
      h2: { fontSize: "20px", lineHeight: "1.35" },
      h3: { fontSize: "16px", lineHeight: "1.4" },
      h4: { fontSize: "14px", lineHeight: "1.45" },
      h5: { fontSize: "13px", lineHeight: "1.45" },
      h6: { fontSize: "12px", lineHeight: "1.45" },
    },
  },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "32px" },
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "12px", xl: "16px" },
  defaultRadius: "md",
  // Media queries ignore the root font size, hence em.
  breakpoints: { xs: "0em", sm: "37.5em", md: "60em", lg: "80em", xl: "120em" },
  shadows: {
    xs: "none",
    sm: "none",
    md: "var(--float-shadow)",
    lg: "var(--float-shadow)",
    xl: "var(--float-shadow)",
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  autoContrast: false,
  components: {
    Paper: { defaultProps: { radius: "lg" } },
    Card: { defaultProps: { radius: "lg", withBorder: true, padding: "lg" } },
    Modal: {
      defaultProps: {
        radius: "lg",
        overlayProps: { backgroundOpacity: 0.4 },
        centered: true,
        attributes: floating,
        removeScrollProps: scrollLock,
      },
      // What gets the focus is scrolled to a place above the buttons, which stay in view.
      styles: { title: longTitle, content: { scrollPaddingBottom: 64 } },
    },
    Drawer: {
      defaultProps: {
        padding: "lg",
        overlayProps: { backgroundOpacity: 0.3 },
        attributes: floating,
        removeScrollProps: scrollLock,
      },
      styles: { title: longTitle },
    },
    Menu: {
      defaultProps: {
        shadow: "md",
        radius: "md",
        transitionProps: { duration: 120 },
        // An open menu focuses its first item. Nothing else belongs into a menu.
        withInitialFocusPlaceholder: false,
      },
    },
    // Menus and lists of choices, too, are inside a landmark. Each frame has a `main`.
    Popover: { defaultProps: { shadow: "md", portalProps: { target: "main" } } },
    ComboboxOptions: { defaultProps: { className: classes.options } },
    // A form whose first field has the focus must not be covered by a list.
    Select: {
      defaultProps: { withScrollArea: false, openOnFocus: false, onClick: selectSearchText },
    },
    Autocomplete: ownScroll,
    MultiSelect: pills,
    TagsInput: pills,
    // A list of options may contain nothing else, not even a message that there are none.
    ComboboxEmpty: { defaultProps: { role: "option", "aria-selected": false, "aria-disabled": true } },
    Tooltip: {
      defaultProps: {
        openDelay: 250,
        // The pointer may enter the text, and the keyboard shows it as well.
        interactive: true,
        events: { hover: true, focus: true, touch: false },
        radius: "sm",
        fz: "xs",
        // Also on the target. Browser tests find every target by it.
        className: "has-tooltip",
      },
    },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 500 } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Table: { defaultProps: { verticalSpacing: 7, borderColor: "var(--line)" } },
    Notification: { defaultProps: { radius: "md", withBorder: true } },
    Anchor: { defaultProps: { underline: "hover" } },
    NumberInput: { defaultProps: { hideControls: true } },
    // Below the input, so that inputs side by side are aligned.
    InputWrapper: { defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] } },
  },
});

/** @param close translated label of the close button of dialogs and drawers */
export function createConsoleTheme(close: string): MantineThemeOverride {
  const labelledClose = { defaultProps: { closeButtonProps: { "aria-label": close } } };
  return mergeThemeOverrides(theme, { components: { Modal: labelledClose, Drawer: labelledClose } });
}

/**
 * Surfaces and chart colours per colour scheme. Series colours
 * also differ in lightness, for colour-blind users.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--page": "#f7f8fa",
    "--surface": "#ffffff",
    "--surface-quiet": "#f7f8fa",
    "--line": "#e5e8ee",
    "--line-strong": "#d9dde6",
    "--control-line": "#868fa2",
    "--accent-text": "#3a42be",
    "--accent-soft": "#eff1fe",
    "--float-shadow": "0 8px 28px rgba(27, 33, 46, 0.12), 0 1px 3px rgba(27, 33, 46, 0.06)",
    "--chart-1": "#434bd0",
    "--chart-2": "#84459a",
    "--chart-3": "#168d92",
    "--chart-4": "#c6720e",
    "--chart-5": "#38a06f",
    "--chart-6": "#3896ea",
    "--chart-failed": "#d13438",
    "--chart-others": "#aab2c0",
    "--mantine-color-body": "#ffffff",
    "--mantine-color-dimmed": "#646e82",
    "--mantine-color-default-border": "#d9dde6",
    "--mantine-color-placeholder": "#7b8497",
    "--mantine-color-error": "#c62f2f",
    "--mantine-color-anchor": "#3a42be",
    "--mantine-color-iris-light-color": "#3a42be",
    "--mantine-color-gray-light-color": "#4f586b",
    "--mantine-color-green-light": "#e9f8f0",
    "--mantine-color-green-light-color": "#0f6c44",
    "--mantine-color-amber-light": "#fef5e4",
    "--mantine-color-amber-light-color": "#7f5006",
    "--mantine-color-red-light": "#fdeeee",
    "--mantine-color-red-light-color": "#a32525",
  },
  dark: {
    "--page": "#0d0f14",
    "--surface": "#14181f",
    "--surface-quiet": "#191e27",
    "--line": "#252b37",
    "--line-strong": "#323a49",
    "--control-line": "#646e82",
    "--accent-text": "#a5aef7",
    "--accent-soft": "rgba(94, 105, 234, 0.16)",
    "--float-shadow": "0 12px 36px rgba(0, 0, 0, 0.5), 0 1px 3px rgba(0, 0, 0, 0.4)",
    "--chart-1": "#5563e8",
    "--chart-2": "#c4582c",
    "--chart-3": "#4f9be8",
    "--chart-4": "#d89a2b",
    "--chart-5": "#8fc7f2",
    "--chart-6": "#f3d98b",
    "--chart-failed": "#ec5f5c",
    "--chart-others": "#5a6477",
    "--mantine-color-body": "#14181f",
    "--mantine-color-text": "#d8dde7",
    "--mantine-color-dimmed": "#8d96a9",
    "--mantine-color-default-border": "#323a49",
    "--mantine-color-placeholder": "#6d778b",
    "--mantine-color-error": "#f08a8a",
    "--mantine-color-anchor": "#a5aef7",
    "--mantine-color-iris-light": "rgba(94, 105, 234, 0.18)",
    "--mantine-color-iris-light-color": "#a5aef7",
    "--mantine-color-gray-light": "rgba(141, 150, 169, 0.16)",
    "--mantine-color-gray-light-color": "#b3bac9",
    "--mantine-color-green-light": "rgba(36, 166, 105, 0.17)",
    "--mantine-color-green-light-color": "#72cea0",
    "--mantine-color-amber-light": "rgba(230, 165, 45, 0.15)",
    "--mantine-color-amber-light-color": "#f2be58",
    // White text on it has a contrast of 4.5.
    "--mantine-color-red-filled": "#cf3f3f",
    "--mantine-color-red-filled-hover": "#bd3636",
    "--mantine-color-red-light": "rgba(220, 74, 74, 0.18)",
    "--mantine-color-red-light-color": "#f6b9b9",
  },
});
