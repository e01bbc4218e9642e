/** The address of the picture in a theme, from that of the light one. */
export function pictureIn(theme: 'light' | 'dark', url: string): string {
  return url.replace(/-light-small(\.\w+)$/, `-${theme}-small$1`);
}
