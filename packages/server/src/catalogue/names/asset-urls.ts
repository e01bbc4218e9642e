/**
 * Every URL that the service emits, and the way back from a URL to what it names. An asset lies at
 * `{ASSET_URL}/{2 hex}/{rest of an id}/{package directory}/{path inside the package}`; beside the package
 * directory lie its archive, `{package}.zip`, its metadata zips, `{package}_codelists.zip` and so on, tables of its
 * features, `{package}_bldg.parquet`, and pictures.
 */

import { type OutputKind, quoted, specPath, withoutEnd } from '@citymodel/base';
import type { MetadataDirectory, PackagePicture, PackagePictures, PackageRow } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';

export interface AssetUrlsOptions {
  /** Address of the service, without a slash at its end. */
  publicUrl: string;
  /** Address of the assets, without a slash at its end. */
  assetUrl: string;
  /** Further hosts (`name` or `name:port`) whose URLs mean the same path on ours. */
  cmsHosts?: readonly string[];
}

/** What an asset URL names, by its shape alone; whether it exists is the snapshot's to say. */
export type ParsedAsset = {
  /** `{2 hex}/{rest of an id}`. */
  assetPath: string;
  /** Package directory. */
  packageName: string;
} & (
  | { kind: 'archive' }
  | { kind: 'metadata'; directory: MetadataDirectory }
  | { kind: 'table'; type: string }
  | ({ kind: 'picture'; tag: string } & Pick<PackagePicture, 'theme' | 'size'>)
  /** `path` is relative to the package, `/`-separated, decoded, and never empty. */
  | { kind: 'member'; path: string }
);

type Located = Pick<PackageRow, 'assetPath' | 'name'>;

const TABLE = /^(.+)_([A-Za-z0-9]{1,40})\.parquet$/s;
const PICTURE = /^(.+)_picture-([0-9a-f]{16})-(light|dark)-(large|small)\.(?:jpg|png)$/s;
const METADATA_ZIP = /^(.+)_(codelists|metadata|schemas|specification)\.zip$/s;

/** Builds URLs from configuration alone, never from a request. */
export class AssetUrls {
  readonly publicUrl: string;
  readonly assetUrl: string;
  /** Path under which assets lie on their host, e.g. `/assets`; '' when they lie at its root. */
  readonly assetRoot: string;
  readonly #hosts: Set<string>;
  /** The host that callers are told to use. */
  readonly #host: string;
  #lastPackage: Located | null = null;
  #lastBase = '';

  constructor(options: AssetUrlsOptions) {
    this.publicUrl = withoutEnd(options.publicUrl, '/');
    this.assetUrl = withoutEnd(options.assetUrl, '/');
    const own = new URL(this.assetUrl);
    this.assetRoot = withoutEnd(own.pathname, '/');
    this.#host = own.host;
    this.#hosts = new Set([own.host, ...(options.cmsHosts ?? []).map((h) => h.trim().toLowerCase())]);
    this.#hosts.delete('');
  }

  /** URL of a member, or of a template such as `{z}/{x}/{y}.mvt`, whose braces stay as they are. */
  member(located: Located, path: string): string {
    if (PLAIN.test(path)) return `${this.#base(located)}/${path}`;
    return `${this.#base(located)}/${encodePath(path).replaceAll('%7B', '{').replaceAll('%7D', '}')}`;
  }

  /** URL of the archive: the whole package as one zip. */
  archive(located: Located): string {
    return `${this.#base(located)}.zip`;
  }

  metadataZip(located: Located, directory: MetadataDirectory): string {
    return `${this.#base(located)}_${directory}.zip`;
  }

  /** GeoParquet of the features of a type. */
  table(located: Located, type: string): string {
    return `${this.#base(located)}_${encodePath(type)}.parquet`;
  }

  /** A picture of the package in a theme and size; null where there is none. Another picture has another URL. */
  picture(
    located: Located & { pictures?: PackagePictures },
    theme: PackagePicture['theme'],
    size: PackagePicture['size'],
  ): string | null {
    const images = located.pictures?.images ?? [];
    const image = images.find((one) => one.theme === theme && one.size === size);
    const tag = pictureTag(images);
    if (image === undefined || tag === null) return null;
    const extension = image.mimeType === 'image/png' ? 'png' : 'jpg';
    return `${this.#base(located)}_picture-${tag}-${theme}-${size}.${extension}`;
  }

  /** All that lies beside the package's directory under its name, tables and pictures among it; `*` is whatever follows. */
  tables(located: Located): string {
    return `${this.#base(located)}_*`;
  }

  /** Redirect to such a table of a municipality. */
  cityTable(spec: string, type: string): string {
    return `${this.publicUrl}/datacatalog/citygml/${spec}/${encodePath(type)}.parquet`;
  }

  /** Composite tileset (operation 4). */
  tileset(spec: string): string {
    return this.ofSpec('3dtiles', spec);
  }

  /** The document behind a spec: a composite tileset or TileJSON (operations 4 and 5). */
  ofSpec(kind: OutputKind, spec: string): string {
    return `${this.publicUrl}${specPath(kind, spec)}`;
  }

  /** Redirect to a municipality's zip (operation 6). */
  cityZip(spec: string): string {
    return `${this.publicUrl}/datacatalog/citygml/${spec}/citygml.zip`;
  }

  /** Download of a pack (operation 10), which redirects to its bytes. */
  pack(id: string): string {
    return `${this.publicUrl}/citygml/pack/${id}.zip`;
  }

  /** The bytes of a pack. */
  packBytes(id: string): string {
    return `${this.publicUrl}/citygml/pack/${id}/download/${id}.zip`;
  }

  /**
   * Reads a URL that a caller gave (`url=`, `urls[]`). Null when the host is ours but nothing can be there.
   * Throws ServiceError 400 `invalid url` for what is no absolute http(s) URL, `invalid domain` for another host.
   */
  parse(url: string): ParsedAsset | null {
    let parsed: URL;
    try {
      parsed = new URL(url);
    } catch {
      throw new ServiceError(400, 'invalid url', {
        reason: `${quoted(url, 200)} is not an absolute URL; expected one that the catalogue or the file search gave.`,
        url,
      });
    }
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
      throw new ServiceError(400, 'invalid url', {
        reason:
          `${quoted(url, 200)} starts with ${quoted(parsed.protocol)}, but only http: and https: URLs are ` +
          `accepted.`,
        url,
      });
    }
    if (!this.#hosts.has(parsed.host) && !this.#hosts.has(parsed.hostname)) {
      throw new ServiceError(400, 'invalid domain', {
        reason:
          `${quoted(url, 200)} is on the host ${quoted(parsed.host)}, but only files on ${this.#host} are ` +
          `served here.`,
        url,
      });
    }
    if (!parsed.pathname.startsWith(`${this.assetRoot}/`)) return null;
    return parseAssetPath(parsed.pathname.slice(this.assetRoot.length));
  }

  /** Mostly many URLs of one package are asked for, one after the other. */
  #base(located: Located): string {
    if (located !== this.#lastPackage) {
      this.#lastPackage = located;
      this.#lastBase = `${this.assetUrl}/${encodePath(located.assetPath)}/${encodePath(located.name)}`;
    }
    return this.#lastBase;
  }
}

/**
 * Reads the path of an asset below the asset root, percent-encoded or not, with or without a leading slash
 * and without a query. Null for every path that cannot name an asset: broken encoding, empty, `.` or `..`
 * parts, backslashes, control characters, too few parts.
 */
export function parseAssetPath(path: string): ParsedAsset | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  const parts = (decoded.startsWith('/') ? decoded.slice(1) : decoded).split('/');
  for (const part of parts) if (!isSafePart(part)) return null;
  const [hex, rest, entry] = parts;
  if (hex === undefined || rest === undefined || entry === undefined || !/^[0-9a-f]{2}$/.test(hex))
    return null;
  const assetPath = `${hex}/${rest}`;
  if (parts.length > 3) {
    return { kind: 'member', assetPath, packageName: entry, path: parts.slice(3).join('/') };
  }
  const metadata = METADATA_ZIP.exec(entry);
  if (metadata) {
    const directory = metadata[2] as MetadataDirectory;
    return { kind: 'metadata', assetPath, packageName: metadata[1]!, directory };
  }
  const table = TABLE.exec(entry);
  if (table) return { kind: 'table', assetPath, packageName: table[1]!, type: table[2]! };
  const picture = PICTURE.exec(entry);
  if (picture) {
    const [theme, size] = [picture[3] as PackagePicture['theme'], picture[4] as PackagePicture['size']];
    return { kind: 'picture', assetPath, packageName: picture[1]!, tag: picture[2]!, theme, size };
  }
  if (!entry.endsWith('.zip') || entry.length === 4) return null;
  return { kind: 'archive', assetPath, packageName: entry.slice(0, -4) };
}

/** What URLs of all pictures of a package have in common: of the hash of the first; null without pictures. */
export function pictureTag(images: readonly PackagePicture[]): string | null {
  return images[0]?.sha256.slice(0, 16) ?? null;
}

function isSafePart(part: string): boolean {
  if (part === '' || part === '.' || part === '..') return false;
  for (let i = 0; i < part.length; i++) {
    const code = part.charCodeAt(i);
    if (code < 0x20 || code === 0x7f || code === 0x5c) return false;
  }
  return true;
}

const PLAIN = /^[A-Za-z0-9_./-]*$/;

/** Percent-encodes each part of a path. */
function encodePath(path: string): string {
  return PLAIN.test(path) ? path : path.split('/').map(encodeURIComponent).join('/');
}
