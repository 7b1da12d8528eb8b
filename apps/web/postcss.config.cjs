module.exports = {
  plugins: {
    "postcss-preset-mantine": {},
    "postcss-simple-vars": {
      // The breakpoints of app/theme.ts, in em so that they follow the reader's font size.
      variables: {
        "mantine-breakpoint-xs": "0em",
        "mantine-breakpoint-sm": "37.5em",
        "mantine-breakpoint-md": "60em",
        "mantine-breakpoint-lg": "80em",
        "mantine-breakpoint-xl": "120em",
      },
    },
  },
};
