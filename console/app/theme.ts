import { createTheme } from '@mantine/core';

/** The theme of the console. Its shades have enough contrast to white text, and to light and dark backgrounds. */
export const theme = createTheme({
  primaryColor: 'violet',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Without these labels, a screen reader would announce a close button only as “button”.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, centered: true } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Alert: { defaultProps: { closeButtonLabel: 'Close' } },
  },
});
