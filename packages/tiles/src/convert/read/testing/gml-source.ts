/** GML files as the runner hands them out, for tests. */
import { basename } from 'node:path';
import { parseGmlName } from '@citymodel/citygml';
import { unzip } from '@citymodel/citygml/testing';
import { PartAccountBuilder } from '../../account/part-account.ts';
import type { ConvertIssue, GmlSource, HeightModel, PartContext } from '../../part-maker.ts';

/** A GML file of members in memory; `chunk`: bytes of text that come at a time. */
export function gmlSource(
  path: string,
  members: ReadonlyMap<string, Uint8Array>,
  { name = '22203_numazu-shi_city_2023_citygml_1_op', chunk = 65_536 } = {},
): GmlSource {
  const text = members.get(path)!;
  async function* inChunks(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const { type, mesh } = parseGmlName(path);
  return {
    path,
    type,
    mesh,
    size: text.length,
    package: {
      name,
      cityCode: name.slice(0, 5),
      cityName: '沼津市',
      wards: [],
      year: 2023,
    },
    text: () => inChunks(text),
    textOf(wanted) {
      const bytes = members.get(wanted);
      return bytes === undefined ? null : inChunks(bytes);
    },
    async member(wanted, limit) {
      const bytes = members.get(wanted);
      return bytes === undefined || bytes.length > limit ? null : bytes;
    },
  };
}

/** Every GML file of a package on the disk. */
export async function gmlSources(zip: string): Promise<GmlSource[]> {
  const members = await unzip(zip, /\.(gml|xml|jpe?g|png|tiff?)$/i);
  const paths = [...members.keys()].filter((path) => path.endsWith('.gml')).sort();
  return paths.map((path) => gmlSource(path, members, { name: basename(zip, '.zip') }));
}

/** Collects issues; nothing stops the work. Heights are raised by `offset` metres. */
export function partContext(
  scratch: string,
  options: Partial<PartContext['options']> = {},
  offset: HeightModel['offset'] = () => 0,
): PartContext & { issues: ConvertIssue[] } {
  const issues: ConvertIssue[] = [];
  return {
    options: {
      tiles: '1.1',
      compression: 'draco',
      slim: false,
      unlit: false,
      pmtiles: false,
      lods: null,
      heights: 'geoid',
      ...options,
    },
    heights: {
      ...{ name: 'test', offset, outside: 0, isRevised: false, elevations: new Set<'jgd2011' | 'jgd2024'>() },
      ...{ unrevised: { count: 0, first: null }, otherGrid: { count: 0, first: null } },
    },
    scratch,
    signal: new AbortController().signal,
    issue: (issue) => issues.push(issue),
    account: new PartAccountBuilder(),
    onText() {},
    issues,
  };
}
