/** Attributes of all features of GML files, as the interface answers them, codes without words. */
import { attributesOf, gmlIdOf, MemberCutter, namespaceContext, parseFeature } from '@citymodel/citygml';

/** By gml:id; of features with one id, the last. */
export async function attributesIn(files: Iterable<Buffer>): Promise<Map<string, Record<string, unknown>>> {
  const found = new Map<string, Record<string, unknown>>();
  for (const bytes of files) {
    const cutter = new MemberCutter(inOne(bytes), 1 << 24);
    for (let member = await cutter.next(); member !== null; member = await cutter.next()) {
      if (member.name !== 'core:cityObjectMember') continue;
      const [feature] = parseFeature(member.text!, cutter.context ?? namespaceContext(bytes)).children;
      found.set(gmlIdOf(feature!)!, attributesOf(feature!, { labels: null, extent: null }));
    }
    await cutter.close();
  }
  return found;
}

async function* inOne(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
