/** C01 and the check of their format: gml:ids are unique in a package, and features' own are well written. */
import { localName, type XmlElement } from '@citymodel/citygml';
import { defineCheck, type Finding, IN_FILE } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';
import { hashOf } from '../../hash.ts';
import { Numbers, repeatedIn } from '../../numbers.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const ID_FORMAT = defineCheck({
  code: 'gmlid',
  name: 'gml:id書式不正',
  title: { ja: 'gml:id の書式', en: 'Format of gml:ids' },
  rule: {
    ja: '地物の gml:id が「フォルダの接頭辞_小文字のUUID」であること（CityObjectGroup の接頭辞は任意の小文字）。',
    en:
      'The gml:id of a feature is its folder, "_" and a UUID in lower case; a CityObjectGroup may have any prefix ' +
      'in lower case.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: { file: '01_共通_GML_ID書式不正', columns: [...IN_FILE, 'XML Tag', 'gml:id'] },
  summary: 'common',
  inPassing: 'extent',
  open: (file) => ({
    member({ feature, line }) {
      const id = idOf(feature) ?? '';
      const cut = id.indexOf('_');
      const prefix = id.slice(0, Math.max(cut, 0));
      const isGroup = localName(feature.name) === 'CityObjectGroup';
      const isUsual = isGroup ? /^[a-z]+$/.test(prefix) : prefix === file.folder;
      if (isUsual && UUID.test(id.slice(cut + 1))) return;
      file.report({
        id: id === '' ? null : id,
        line,
        type: feature.name,
        message: id === '' ? 'The feature has no gml:id.' : `The gml:id ${id} is not ${file.folder}_UUID.`,
        row: { 'XML Tag': feature.name, 'gml:id': id },
      });
    },
  }),
});

/** Where a repeated id is. */
interface Occurrence extends Required<Pick<Finding, 'position'>> {
  path: string;
  tag: string;
  line: number;
  type: string;
}

/** Hashes of the ids of a file, those of a member once each: 53 bits, so that few ids of a nation would share one. */
export const UNIQUE_IDS = defineCheck<Float64Array>({
  code: 'C01',
  name: 'gml:id重複',
  title: { ja: 'gml:id の重複', en: 'Repeated gml:ids' },
  rule: {
    ja: 'gml:id（地物と幾何の両方）がパッケージ内の二つ以上の地物に現れないこと。出現ごとに一件と数える。',
    en: 'No gml:id, of features or geometry, is in two features of the package. Each occurrence is one error.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: { file: '01_共通_GML_ID重複', columns: [...IN_FILE, 'XML Tag', 'gml:id'] },
  summary: 'common',
  open() {
    const hashes = new Numbers();
    const inMember = new Set<string>();
    return {
      looksAt: (_, hasAttributes) => hasAttributes,
      element(element) {
        const id = idOf(element);
        if (id === null || inMember.has(id)) return;
        inMember.add(id);
        hashes.push(hashOf(id));
      },
      member: () => inMember.clear(),
      end: () => hashes.take(),
    };
  },
  async join(files, context) {
    const repeated = repeatedIn(files.map(({ carry }) => carry));
    if (repeated.size === 0) return;
    const places = new Map<string, Occurrence[]>();
    for (const { path, carry } of files) {
      if (!carry.some((hash) => repeated.has(hash))) continue;
      const inMember = new Set<string>();
      await context.revisit(path, {
        element(element: XmlElement, _, { feature, line }) {
          const id = idOf(element);
          if (id === null || inMember.has(id) || !repeated.has(hashOf(id))) return;
          inMember.add(id);
          const found = places.get(id) ?? [];
          const position = firstPosition(element) ?? firstPosition(feature);
          found.push({ path, tag: element.name, line, type: feature.name, position });
          places.set(id, found);
        },
        member: () => inMember.clear(),
      });
    }
    for (const [id, found] of places) {
      if (found.length < 2) continue;
      for (const { path, tag, line, type, position } of found) {
        context.report(path, {
          id,
          line,
          type,
          position,
          message: `The gml:id ${id} is in ${found.length} features.`,
          row: { 'XML Tag': tag, 'gml:id': id },
        });
      }
    }
  },
});
