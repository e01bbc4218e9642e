/** Short files for tests of the scanner, and what it finds in them. */
import type { Issue } from '@citymodel/base';
import { FeatureIndex } from '../index/feature-index.ts';
import { GmlScanner } from '../scan/scanner.ts';
import type { GmlSummary } from '../scan/summary.ts';
import { block, cityModel, member, polygon } from './gml-text.ts';

interface Scanned {
  summary: GmlSummary;
  issues: Issue[];
  index: FeatureIndex;
  hints: number[];
}

/** One pass over a text, in chunks of these sizes by turns. */
export function scan(text: string | Uint8Array, sizes: readonly number[] = [1 << 20]): Scanned {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const issues: Issue[] = [];
  const hints: number[] = [];
  const scanner = new GmlScanner({
    member: 'udx/bldg/x.gml',
    onIssue: (issue) => issues.push(issue),
    blockHint: (offset) => hints.push(offset),
  });
  let k = 0;
  for (let i = 0; i < bytes.length; ) {
    const size = sizes[k++ % sizes.length]!;
    scanner.push(bytes.subarray(i, i + size));
    i += size;
  }
  const summary = scanner.end();
  return { summary, issues, hints, index: FeatureIndex.open(summary.featureIndex) };
}

/** A member with a building. */
export const building = (id: string, content: string) =>
  member(`<bldg:Building gml:id="${id}">${content}</bldg:Building>`);

/** A block of 10 m at LOD 1. */
export const solid = `<bldg:lod1Solid>${block(35.5, 139.5, 0.001, 2, 12)}</bldg:lod1Solid>`;

/** A text with everything that the scanner has to tell apart. */
export const EVERYTHING = cityModel(
  `  <!-- <core:cityObjectMember> > -- -->`.replace(' -- ', ' - ') +
    `<?target <x> ?>\r\n` +
    building(
      'b&amp;1',
      `<gml:name>駅前ビル</gml:name><bldg:class codeSpace="../../codelists/Building_class.xml">3001</bldg:class>
      <bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember>${polygon([
        [35.5, 139.5, 0],
        [35.5, 139.502, 0],
        [35.501, 139.502, 0],
      ])}</gml:surfaceMember></gml:MultiSurface></bldg:lod0RoofEdge>${solid}
      <bldg:address><core:Address><core:xalAddress><xAL:AddressDetails><xAL:Locality>\
<xAL:LocalityName>見本県見本市</xAL:LocalityName><xAL:DependentLocality>\
<xAL:DependentLocalityName>緑町&#x4E00;丁目</xAL:DependentLocalityName></xAL:DependentLocality></xAL:Locality>\
</xAL:AddressDetails></core:xalAddress></core:Address></bldg:address>
      <uro:city codeSpace='../../codelists/Common_localPublicAuthorities.xml'> 99101
      </uro:city>`,
    ) +
    `<core:cityObjectMember/><core:cityObjectMember></core:cityObjectMember>` +
    member(`<tran:Road><gml:description><![CDATA[<not a tag> & no reference]]></gml:description>
      <uro:roadDmAttribute><uro:DmGeometricAttribute><uro:lod0Geometry><gml:Point srsName="EPSG:6668" \
srsDimension="3"><gml:pos>35 139 0</gml:pos></gml:Point></uro:lod0Geometry></uro:DmGeometricAttribute>\
</uro:roadDmAttribute>
      <tran:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember>${polygon([
        [35.6, 139.6, 0],
        [35.6, 139.61, 0],
        [35.61, 139.61, 0],
      ])}</gml:surfaceMember></gml:MultiSurface></tran:lod1MultiSurface></tran:Road>`) +
    building('c', solid) +
    building('c', '') +
    `<app:appearanceMember><app:Appearance><app:imageURI>x_appearance/1.jpg</app:imageURI></app:Appearance>` +
    `</app:appearanceMember>`,
  ` xsi:schemaLocation="https://www.geospatial.jp/iur/uro/3.1 ../../schemas/iur/uro/3.1/urbanObject.xsd http://a ` +
    `http://b/c.xsd"`,
);
