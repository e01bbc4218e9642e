/** HTML of a frame that is as wide as the column that it stands in. */

/**
 * @param url address of what the frame shows
 * @param title what that is, for those who hear it
 */
export function frameOf(url: string, title: string): string {
  return (
    `<iframe src="${escaped(url)}" title="${escaped(title)}" loading="lazy" allowfullscreen ` +
    `style="width:100%;aspect-ratio:16/10;border:0"></iframe>`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
