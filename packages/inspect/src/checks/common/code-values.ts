/** L04 and the check of code spaces: coded values are in their lists, and the lists are there. */
import type { XmlElement } from '@citymodel/citygml';
import {
  type CheckFacts,
  defineCheck,
  type FileContext,
  type FileVisitor,
  IN_FILE,
  type Member,
  type PackageContext,
} from '../../check.ts';
import { idOf, xpathOf } from '../../elements.ts';

/** An element with a code space, and those above it from the feature on. */
interface Coded {
  element: XmlElement;
  above: readonly XmlElement[];
}

/** Shows every element with a code space, and its list, once the member is whole. */
function codedElements(
  file: FileContext,
  see: (coded: Coded, list: ReadonlyMap<string, string> | null, member: Member) => void,
): FileVisitor<void> {
  let coded: Coded[] = [];
  const lists = listsFor(file);
  return {
    looksAt: (_, hasAttributes) => hasAttributes,
    element(element, above) {
      if (element.attributes.codeSpace !== undefined) coded.push({ element, above: above.slice() });
    },
    member(member) {
      const found = coded;
      coded = [];
      const missing = new Set<string>();
      for (const { element } of found) {
        const codeSpace = element.attributes.codeSpace!;
        if (!lists.has(codeSpace)) missing.add(codeSpace);
      }
      const show = () => {
        for (const one of found) see(one, lists.get(one.element.attributes.codeSpace!)!, member);
      };
      if (missing.size === 0) return show();
      return Promise.all(
        Array.from(missing, async (codeSpace) => {
          lists.set(codeSpace, await file.package.codeList(codeSpace, file.path));
        }),
      ).then(show);
    },
  };
}

type KnownLists = Map<string, ReadonlyMap<string, string> | null>;

/** Code spaces of a folder that are remembered from file to file. */
const REMEMBERED = 1000;

/** Lists that were found, by folder and code space: files of one folder need not wait for them again. */
const knownLists = new WeakMap<PackageContext, Map<string, KnownLists>>();

function listsFor({ package: context, path }: FileContext): KnownLists {
  const byFolder = knownLists.get(context) ?? new Map<string, KnownLists>();
  knownLists.set(context, byFolder);
  const folder = path.slice(0, path.lastIndexOf('/'));
  const known = byFolder.get(folder);
  // Names come from files: what has grown beyond use is left to the files that hold it.
  if (known !== undefined && known.size <= REMEMBERED) return known;
  const lists: KnownLists = new Map();
  byFolder.set(folder, lists);
  return lists;
}

const COMMON = {
  severity: 'error',
  specs: [4, 6],
  folders: null,
  summary: 'common',
} satisfies Partial<CheckFacts>;

export const CODE_VALUES = defineCheck({
  ...COMMON,
  code: 'L04',
  name: 'L04エラー',
  title: { ja: 'コードリストにない値', en: 'Values that their code list lacks' },
  rule: {
    ja: 'codeSpace を持つ要素の値が、参照するコードリストに gml:name として存在すること。',
    en: 'The value of an element with a codeSpace is a gml:name of the code list that it refers to.',
  },
  table: {
    file: '01_共通_L04エラー',
    columns: [...IN_FILE, 'gml:id', 'XML Tag', 'XPath', 'CodeSpace', 'Code'],
  },
  inPassing: 'attributes',
  open: (file) =>
    codedElements(file, ({ element, above }, list, { feature, line }) => {
      if (list === null || list.has(element.text)) return;
      file.report(() => {
        const [id, codeSpace] = [idOf(feature), element.attributes.codeSpace!];
        const xpath = xpathOf(element, above);
        return {
          id,
          ref: element.text,
          line,
          type: feature.name,
          message: `${xpath} has the value ${element.text}, which ${codeSpace} lacks.`,
          row: {
            'gml:id': id ?? '',
            'XML Tag': element.name,
            XPath: xpath,
            CodeSpace: codeSpace,
            Code: element.text,
          },
        };
      });
    }),
});

export const CODE_SPACES = defineCheck({
  ...COMMON,
  code: 'codeSpace',
  name: '不正なcodeSpace数',
  title: { ja: '存在しないコードリスト', en: 'Code lists that are missing' },
  rule: {
    ja: 'codeSpace が参照するコードリストがパッケージに存在すること。',
    en: 'The code list that a codeSpace refers to is in the package.',
  },
  table: {
    file: '01_共通_不正なcodeSpace',
    columns: [...IN_FILE, 'FeatureType', 'XPath', 'XML Tag', 'gml:id', 'CodeSpace'],
  },
  inPassing: 'attributes',
  open: (file) =>
    codedElements(file, ({ element, above }, list, { feature, line }) => {
      if (list !== null) return;
      file.report(() => {
        const [id, codeSpace] = [idOf(feature), element.attributes.codeSpace!];
        const xpath = xpathOf(element, above);
        return {
          id,
          ref: codeSpace,
          line,
          type: feature.name,
          message: `${xpath} refers to ${codeSpace}, which is not in the package.`,
          row: {
            FeatureType: feature.name,
            XPath: xpath,
            'XML Tag': element.name,
            'gml:id': id ?? '',
            CodeSpace: codeSpace,
          },
        };
      });
    }),
});
