/** The pages. */
import { text } from './kinds.ts';

export const PORTAL_SETTINGS = {
  BASE_MAP_URL: text({
    pattern: '^$|^https?://[^/?#\\s]+/\\S*$',
    accepts: (value) => value === '' || ['{z}', '{x}', '{y}'].every((part) => value.includes(part)),
    accepted: 'the address of tiles such as https://tiles.example.jp/{z}/{x}/{y}.png',
    default: '',
    description:
      'Raster tiles beneath the map of the portal, a template with `{z}`, `{x}` and `{y}`; empty means none, so ' +
      'that nothing is asked of another host. In Japan `https://cyberjapandata.gsi.go.jp/xyz/pale/{z}/{x}/{y}' +
      '.png` is a good choice.',
  }),
  BASE_MAP_ATTRIBUTION: text({
    default: '',
    description: 'Who the base map is from, shown on the map; HTML such as a link is allowed.',
  }),
  EMBED_ORIGINS: text({
    pattern: '^$|^(\\*|https?://[^/?#\\s,;\'"]+)([\\s,]+(\\*|https?://[^/?#\\s,;\'"]+))*$',
    accepted: 'origins such as https://www.example.jp separated by commas, or *',
    default: '*',
    description:
      'Origins whose pages may hold the 3D view in a frame and send it commands, separated by commas ' +
      '(docs/embedding.md); `*` means every page, empty means only those of this service. No other view can be ' +
      'held in a frame of another origin.',
  }),
};
