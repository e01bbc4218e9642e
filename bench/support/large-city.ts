/**
 * A package as large as wanted: the buildings of one real file again and again, each time a mesh farther and with ids
 * of their own.
 */
import { unzip } from '../../packages/citygml/src/testing/published.ts';
import { meshBounds, meshOf } from '../../packages/geo/src/mesh.ts';
import { writeZipFile, type ZipFileMember } from '../../packages/sample/src/zip-file.ts';

export interface LargeCity {
  /** Zip of a CityGML package. */
  source: string;
  /** Mesh code of the file whose buildings are repeated. */
  mesh: string;
  /** Bytes of text, about. */
  bytes: number;
  /** One file with everything, or a file for each mesh. */
  isOneFile: boolean;
}

/** Meshes beside each other before the next row begins. */
const COLUMNS = 20;
const MEMBER = /<core:cityObjectMember>[\s\S]*<\/core:cityObjectMember>/;
const POSITIONS = /<gml:posList>([^<]*)<\/gml:posList>|gml:id="([^"]*)"|href="#([^"]*)"/g;

/** Writes the package, whose name and code lists are those of the source; returns its bytes of text. */
export async function writeLargeCity(
  path: string,
  { source, mesh, bytes, isOneFile }: LargeCity,
): Promise<number> {
  const files = await unzip(source, /udx\/bldg\/|codelists\//);
  const name = [...files.keys()].find((path) => path.includes(`/bldg/${mesh}_`))!;
  const root = name.slice(0, name.indexOf('udx/'));
  const text = Buffer.from(files.get(name)!).toString();
  const copyOf = copier(text.match(MEMBER)![0]);
  const [head, tail] = [text.slice(0, text.search(MEMBER)), '</core:CityModel>\n'];
  const { west, south, east, north } = meshBounds(mesh);
  const [width, height] = [east - west, north - south];
  let written = 0;
  const members = function* (): Generator<ZipFileMember> {
    for (const [path, content] of files)
      if (path.includes('codelists/')) yield { path: path.slice(root.length), bytes: content };
    const copies: Buffer[] = [];
    for (let n = 0; written < bytes; n++) {
      const [lng, lat] = [(n % COLUMNS) * width, Math.floor(n / COLUMNS) * height];
      const copy = Buffer.from(copyOf(n, lng, lat));
      written += copy.length;
      if (isOneFile) copies.push(copy);
      else {
        const code = meshOf(west + lng + width / 2, south + lat + height / 2, 8);
        yield {
          path: `udx/bldg/${code}_bldg_6697_op.gml`,
          bytes: Buffer.concat([Buffer.from(head), copy, Buffer.from(tail)]),
        };
      }
    }
    if (isOneFile) {
      yield {
        path: `udx/bldg/${mesh}_bldg_6697_op.gml`,
        bytes: Buffer.concat([Buffer.from(head), ...copies, Buffer.from(tail)]),
      };
    }
  };
  await writeZipFile(path, root, members());
  return written;
}

/** Members with other ids, `lng` and `lat` degrees farther east and north. */
function copier(members: string): (number: number, lng: number, lat: number) => string {
  const parts: Array<string | number[]> = [];
  let from = 0;
  for (const match of members.matchAll(POSITIONS)) {
    const [whole, positions] = match;
    const end = match.index + whole.length;
    if (positions === undefined) {
      // Before the closing quote.
      parts.push(members.slice(from, end - 1), []);
      from = end - 1;
      continue;
    }
    const start = match.index + '<gml:posList>'.length;
    parts.push(members.slice(from, start), positions.trim().split(/\s+/).map(Number));
    from = start + positions.length;
  }
  parts.push(members.slice(from));
  return (number, lng, lat) =>
    parts
      .map((part) => {
        if (typeof part === 'string') return part;
        if (part.length === 0) return `_${number}`;
        return part
          .map((value, i) =>
            i % 3 === 0 ? (value + lat).toFixed(12) : i % 3 === 1 ? (value + lng).toFixed(12) : String(value),
          )
          .join(' ');
      })
      .join('');
}
