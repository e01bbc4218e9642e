/**
 * The object list that comes with a package: which attributes of which feature types it has, as the sheet
 * 「A.3.1_取得項目一覧」 of the official spreadsheet says.
 */
import type { RangedSource } from '@citymodel/zip';
import type { ObjectList, ObjectPaths } from '../check.ts';
import { readSheet, type SheetRow } from './read-sheet.ts';

const OBJECT_SHEET = 'A.3.1_取得項目一覧';

const KINDS = new Set(['主題', '関連役割']);
const LEVELS = ['C', 'D', 'E', 'F'];
/** What the rows of `fld/…` stand for, and the class of risk that each folder has. */
const FLOODS: Record<string, string> = {
  fld: 'uro:RiverFloodingRiskAttribute',
  tnm: 'uro:TsunamiRiskAttribute',
  htd: 'uro:HighTideRiskAttribute',
  ifld: 'uro:InlandFloodingRiskAttribute',
  rfld: 'uro:ReservoirFloodingRiskAttribute',
};
const RISK = 'uro:floodingRiskAttribute';
/** Types of features whose required attributes their parts may carry for them. */
const WITH_PARTS: Record<string, readonly [root: string, part: string]> = {
  bldg: ['bldg:Building', 'bldg:BuildingPart'],
  brid: ['brid:Bridge', 'brid:BridgePart'],
  tun: ['tun:Tunnel', 'tun:TunnelPart'],
  ubld: ['uro:UndergroundBuilding', 'bldg:BuildingPart'],
};

interface Paths extends ObjectPaths {
  required: string[];
  target: string[];
  conditional: string[];
}

/** Reads the list. Throws SheetRefused for what is no such spreadsheet, and what reading the file throws. */
export async function readObjectList(source: RangedSource, isLikeUpstream = false): Promise<ObjectList> {
  const folders = new Map<string, Map<string, Paths>>();
  let [folder, type] = ['', ''];
  let levels: string[] = [];
  await readSheet(source, OBJECT_SHEET, (row) => {
    if (row.has('A')) folder = row.get('A')!.trim();
    if (row.has('B')) {
      type = plain(row.get('B')!);
      levels = [];
    }
    levels = levelsOf(levels, row);
    if (!isPrefix(folder) || !type.includes(':') || levels.length === 0) return;
    for (const name of foldersOf(folder)) {
      const types = folders.get(name) ?? new Map<string, Paths>();
      folders.set(name, types);
      const paths = types.get(type) ?? { required: [], target: [], conditional: [] };
      types.set(type, paths);
      if (isBlank(row, 'I') || !KINDS.has(row.get('G')?.trim() ?? '')) continue;
      const path = levels.filter((name) => name !== '').join('/');
      if (isBlank(row, 'N')) {
        if (isOfFolder(path, name)) paths.target.push(path);
      } else {
        paths.required.push(path);
      }
    }
  });
  for (const [name, types] of folders) moveShared(name, types, isLikeUpstream);
  return { types: (name) => folders.get(name) ?? new Map() };
}

/** Names by column: a new level clears the deeper ones, and empty cells carry those above on. */
function levelsOf(before: readonly string[], row: SheetRow): string[] {
  const first = LEVELS.findIndex((column) => !isBlank(row, column));
  if (first < 0) return [...before];
  return LEVELS.map((column, i) => (i < first ? (before[i] ?? '') : plain(row.get(column) ?? '')));
}

function isBlank(row: SheetRow, column: string): boolean {
  return (row.get(column) ?? '').trim() === '';
}

/** Brackets around a name and dots in it are how the sheet is set. */
function plain(text: string): string {
  return text.replace(/[()（）[\]［］\s]/g, '').replaceAll('.', '/');
}

function isPrefix(folder: string): boolean {
  return /^[a-z]+(?:\/|$)/.test(folder);
}

function foldersOf(folder: string): string[] {
  if (folder.startsWith('fld')) return Object.keys(FLOODS);
  return folder.split('/').filter((name) => /^[a-z]+$/.test(name));
}

function isOfFolder(path: string, folder: string): boolean {
  if (!(folder in FLOODS)) return true;
  const parts = path.split('/');
  const at = parts.indexOf(RISK);
  const risk = parts[at + 1];
  return at < 0 || risk === undefined || risk === FLOODS[folder];
}

/** What is required of a feature and of its parts, either may have. */
export function moveShared(folder: string, types: Map<string, Paths>, isLikeUpstream: boolean): void {
  const [rootName, partName] = WITH_PARTS[folder] ?? ['', ''];
  const [root, part] = [types.get(rootName), types.get(partName)];
  if (root === undefined || part === undefined) return;
  const shared = new Set(root.required.filter((path) => part.required.includes(path)));
  for (const paths of [root, part]) {
    paths.conditional = paths.required.filter((path) => shared.has(path));
    paths.required = paths.required.filter((path) => !shared.has(path));
  }
  // The official program gives the rest of a feature's list to its part.
  if (isLikeUpstream) part.required = [...root.required];
}
