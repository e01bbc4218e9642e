/** Pictures on the faces of buildings, as the appearance of a CityGML file. */
import type { Building, Face } from './building.ts';
import { lod2Faces } from './building.ts';
import { polygonId } from './building-gml.ts';
import { ringId } from './gml.ts';
import { textureOf, textureUv } from './textures.ts';

/** Texture coordinates of the rings of a face. */
export type Uv = Array<Array<[u: number, v: number]>>;

export interface PictureRules {
  /** File name of the picture on a face; null for none. */
  textureOf(building: Building, face: Face): string | null;
  /** How it lies there, from the lower left. */
  textureUv(face: Face, building: Building): Uv;
  mimeType: string;
}

const RULES: PictureRules = { textureOf, textureUv, mimeType: 'image/jpeg' };

/** One `app:ParameterizedTexture` for each picture with the faces that it is on; '' where nothing has a picture. */
export function appearanceXml(
  buildings: Building[],
  folder: string,
  { textureOf, textureUv, mimeType }: PictureRules = RULES,
): string {
  const targets = new Map<string, string[]>();
  for (const building of buildings) {
    if (!building.hasLod2) continue;
    for (const body of building.bodies) {
      for (const [i, face] of lod2Faces(body).entries()) {
        const texture = textureOf(building, face);
        if (texture === null) continue;
        targets.set(texture, [
          ...(targets.get(texture) ?? []),
          targetXml(textureUv(face, building), polygonId(body.id, i)),
        ]);
      }
    }
  }
  if (targets.size === 0) return '';
  const surfaces = [...targets]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([file, list]) => `			<app:surfaceDataMember>
				<app:ParameterizedTexture>
					<app:imageURI>${folder}/${file}</app:imageURI>
					<app:mimeType>${mimeType}</app:mimeType>
					<app:wrapMode>wrap</app:wrapMode>
${list.join('')}				</app:ParameterizedTexture>
			</app:surfaceDataMember>
`,
    );
  return `	<app:appearanceMember>
		<app:Appearance>
			<app:theme>rgbTexture</app:theme>
${surfaces.join('')}		</app:Appearance>
	</app:appearanceMember>
`;
}

function targetXml(uv: Uv, polygon: string): string {
  const rings = uv.map((ring, i) => {
    const closed = [...ring, ring[0]!];
    const numbers = closed.map(([u, v]) => `${Math.round(u * 1e6) / 1e6} ${Math.round(v * 1e6) / 1e6}`);
    return (
      `							<app:textureCoordinates ring="#${ringId(polygon, i)}">${numbers.join(' ')}` +
      `</app:textureCoordinates>\n`
    );
  });
  return `					<app:target uri="#${polygon}">
						<app:TexCoordList>
${rings.join('')}						</app:TexCoordList>
					</app:target>
`;
}
