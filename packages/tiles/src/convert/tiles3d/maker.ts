/** Makes 3D Tiles of GML files. */
import { join } from 'node:path';
import { contribution, type PartMaker } from '../part-maker.ts';
import { readRecords } from '../read/read-records.ts';
import { type PackageMember, type PartData, packageTileset } from './join-tilesets.ts';
import { Tiles3dPart } from './make-part.ts';
import { foreseenOutputs, plannedOutputs, tiledLods } from './outputs.ts';

export const tiles3dMaker: PartMaker = {
  name: '3dtiles',
  version: 39,
  partOptions: ['tiles', 'compression', 'slim', 'unlit', 'lods', 'heights'],
  container: () => 'zip',
  plan: plannedOutputs,
  foresee: foreseenOutputs,

  async makePart(gml, directory, context) {
    if (plannedOutputs(gml, context.options).length === 0) return [];
    const read = await readRecords(gml, context, tiledLods(gml.type, context.options));
    using _records = read.records;
    return await new Tiles3dPart(gml, directory, context, read).make();
  },

  async join(key, parts, sink, context) {
    const members: PackageMember[] = [];
    for (const part of parts) {
      const data = contribution(key, part)?.data as PartData | undefined;
      if (data === undefined) continue;
      const directory = join(part.directory, data.folder);
      members.push({ directory, folder: folderOf(part.gml.path), mesh: part.gml.mesh, data });
    }
    const { tileset, files } = await packageTileset(members, context);
    await sink.add('tileset.json', Buffer.from(JSON.stringify(tileset)));
    const own = members.flatMap(({ directory, folder, data }) =>
      data.files.map((file) => ({ folder, directory, file })),
    );
    for (const { folder, directory, file } of [...files, ...own]) {
      context.signal.throwIfAborted();
      await sink.addFile(`${folder}/${file.name}`, join(directory, file.name), { deflated: file });
    }
  },
};

/**
 * Folder of a GML file in a package: its path below `udx/{type}` in characters that need no encoding, so that two files
 * have two.
 */
function folderOf(path: string): string {
  const below = path.replace(/^udx\/[^/]*\//, '').replace(/\.[^./]*$/, '');
  return `data/${below.replace(/[^A-Za-z0-9._-]/g, (character) => `-${character.codePointAt(0)!.toString(16)}-`)}`;
}
