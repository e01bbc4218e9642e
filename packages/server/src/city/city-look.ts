/** The pictures that stand for a city on its page. */
import type { PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';

export interface CityLook {
  /** Addresses of the picture in the two themes. */
  light: string;
  dark: string;
  /** Pixels. */
  width: number;
  height: number;
}

/** Pictures of a package for the page of its city; null where it was not drawn. */
export function cityLook(row: PackageRow | null, urls: AssetUrls): CityLook | null {
  if (row === null) return null;
  const [light, dark] = [urls.picture(row, 'light', 'large'), urls.picture(row, 'dark', 'large')];
  const image = row.pictures?.images.find(({ size }) => size === 'large');
  if (light === null || dark === null || image === undefined) return null;
  return { light, dark, width: image.width, height: image.height };
}
