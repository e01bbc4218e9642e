/** Conditions of the file search that find files in the national catalogue. */

/**
 * Municipalities that have files, spread over the country, and meshes in the middle of others: nobody has asked for the
 * former yet.
 */
export async function conditionsOf(
  catalogue: string,
  url: string,
): Promise<{ meshes: string[]; municipalities: string[] }> {
  const { citygml } = (await (await fetch(`${catalogue}?fields=citygml`)).json()) as {
    citygml: Array<{ city_code: string }>;
  };
  if (citygml.length === 0) throw new Error('the data directory holds no packages of CityGML');
  const step = Math.max(1, Math.floor(citygml.length / 20));
  const codes = citygml.map((row) => row.city_code);
  const municipalities = codes.filter((_, i) => i % step === 0);
  const meshes: string[] = [];
  for (const code of codes.filter((_, i) => i % step === Math.floor(step / 2))) {
    const answer = (await (
      await fetch(`${url}/datacatalog/citygml/${code}?types=bldg&latest=true`)
    ).json()) as {
      files: { bldg?: Array<{ code: string }> };
    };
    const bldg = answer.files.bldg ?? [];
    const middle = bldg[Math.floor(bldg.length / 2)];
    if (middle !== undefined) meshes.push(middle.code);
  }
  return { meshes, municipalities };
}

/** A box whose middle is the south-west corner of a mesh; degrees. */
export function boxAround(mesh: string, halfWidth: number, halfHeight: number): string {
  const lat = Number(mesh.slice(0, 2)) / 1.5 + Number(mesh[4]) / 12 + Number(mesh[6] ?? 0) / 120;
  const lng = Number(mesh.slice(2, 4)) + 100 + Number(mesh[5]) / 8 + Number(mesh[7] ?? 0) / 80;
  const box = [lng - halfWidth, lat - halfHeight, lng + halfWidth, lat + halfHeight];
  return `r:${box.map((x) => x.toFixed(6)).join(',')}`;
}
