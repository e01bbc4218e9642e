import type { GmlFileQuery } from '../catalogue-store.ts';
import type { SqlParam } from './driver.ts';

/**
 * The statement that reads `columns` of the GML files of a query, or null when nothing can match. Rows are sorted by
 * package, type and path: those of a search by mesh codes only with `sorted`, which needs these as the first three
 * columns. `CROSS JOIN` keeps SQLite to the order written: from the mesh codes through the mesh index, else from the
 * packages through the primary key.
 */
export function gmlFileStatement(
  query: GmlFileQuery,
  columns: readonly string[],
  { sorted }: { sorted: boolean },
): { sql: string; params: SqlParam[] } | null {
  const { packageNos, types } = query;
  if (packageNos?.length === 0 || types?.length === 0) return null;
  const select = `SELECT ${columns.map((column) => `f.${column}`).join(', ')}`;
  const params: SqlParam[] = [];
  const bind = (param: SqlParam) => `$${params.push(param)}`;

  const filters = query.anyState === true ? ['p.no > 0'] : ["p.state = 'live'"];
  if (packageNos !== undefined) {
    filters.push(`p.no IN (SELECT value FROM each_int(${bind([...packageNos])}))`);
  }
  if (types !== undefined) filters.push(`f.type IN (SELECT value FROM each_text(${bind([...types])}))`);

  if (query.meshPrefixes === undefined && query.meshes === undefined) {
    if (query.after !== undefined) filters.push(`f.path > ${bind(query.after)}`);
    const limit = query.limit === undefined ? '' : ` LIMIT ${bind(query.limit)}`;
    // In these terms SQLite sees that the primary key gives the order, and need not sort a whole country first.
    const sql =
      `${select} FROM package p CROSS JOIN gml_file f WHERE f.package_no = p.no AND ${filters.join(' AND ')} ` +
      `ORDER BY p.no, f.type, f.path${limit}`;
    return { sql, params };
  }

  const { prefixes, meshes } = disjoint(query.meshPrefixes ?? [], query.meshes ?? []);
  const where = filters.join(' AND ');
  const parts: string[] = [];
  // Codes are digits, and `:` is the character after `9`: a prefix is a range of the index.
  if (prefixes.length > 0) {
    parts.push(
      `${select} FROM (SELECT value FROM each_text(${bind(prefixes)})) k CROSS JOIN gml_file f CROSS JOIN package p ` +
        `WHERE p.no = f.package_no AND ${where} AND f.mesh >= k.value AND f.mesh < k.value || ':'`,
    );
  }
  if (meshes.length > 0) {
    parts.push(
      `${select} FROM gml_file f CROSS JOIN package p WHERE p.no = f.package_no AND ${where} ` +
        `AND f.mesh IN (SELECT value FROM each_text(${bind(meshes)}))`,
    );
  }
  if (parts.length === 0) return null;
  // By position, because a union has no names of tables.
  return { sql: `${parts.join(' UNION ALL ')}${sorted ? ' ORDER BY 1, 2, 3' : ''}`, params };
}

/** The same set of mesh codes without overlaps, so that no file is found twice. */
function disjoint(
  meshPrefixes: readonly string[],
  meshes: readonly string[],
): { prefixes: string[]; meshes: string[] } {
  const prefixes: string[] = [];
  for (const prefix of [...meshPrefixes].sort()) {
    const last = prefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
  }
  const covered = new Set(prefixes);
  const isCovered = (mesh: string) => {
    for (let length = 0; length <= mesh.length; length++) if (covered.has(mesh.slice(0, length))) return true;
    return false;
  };
  return { prefixes, meshes: [...new Set(meshes)].filter((mesh) => !isCovered(mesh)) };
}
