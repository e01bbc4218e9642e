/** How a dataset looks, drawn by the service, in the theme of the page. */
import { useTheme } from '../core/theme.ts';
import { pictureIn } from './picture-url.ts';

/** Pixels that the picture is drawn for, so that nothing moves when it comes. */
const [WIDTH, HEIGHT] = [600, 315];

/** @param url `picture_url` of a row of the catalogue */
export function DatasetPicture({ url, alt }: { url: string; alt: string }) {
  const theme = useTheme();
  return (
    <img
      class="dataset-picture"
      src={pictureIn(theme, url)}
      alt={alt}
      width={WIDTH}
      height={HEIGHT}
      loading="lazy"
      decoding="async"
    />
  );
}
