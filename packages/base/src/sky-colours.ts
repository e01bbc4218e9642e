/** Colours of the sky by theme, as they are shown (sRGB): the 3D view and the pictures of packages have the same. */
export const SKY_COLOURS = {
  light: { zenith: '#6fa8d6', horizon: '#dfe9ee' },
  dark: { zenith: '#0a1219', horizon: '#2a3841' },
} as const;
