/** What other sites show of a link, out of the pictures of a package. */
import type { PackageRow } from '@citymodel/store';
import type { AssetUrls } from './asset-urls.ts';

export interface LinkPicture {
  url: string;
  /** Pixels. */
  width: number;
  height: number;
  mimeType: string;
}

/** The large, light picture of a package; null where there is none. */
export function linkPictureOf(row: PackageRow | null, urls: AssetUrls): LinkPicture | null {
  const image = row?.pictures?.images.find(({ theme, size }) => theme === 'light' && size === 'large');
  const url = row === null ? null : urls.picture(row, 'light', 'large');
  if (image === undefined || url === null) return null;
  const { width, height, mimeType } = image;
  return { url, width, height, mimeType };
}
