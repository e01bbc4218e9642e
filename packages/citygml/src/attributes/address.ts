import { localName, type XmlElement } from '../xml/xml-element.ts';

/**
 * The text of an address property (`bldg:address` and the like), which holds an xAL address (OASIS CIQ 2.0; 3.0
 * with CityGML 3.0): its locality names followed by its district names, as Japanese addresses are written,
 * without anything between. An address that has neither yields its other names in their order, without the
 * country; one that is empty yields an empty string.
 */
export function addressText(property: XmlElement): string {
  const localities: string[] = [];
  const districts: string[] = [];
  const others: string[] = [];
  collect(property, '', localities, districts, others);
  return localities.length + districts.length > 0 ? [...localities, ...districts].join('') : others.join('');
}

function collect(
  element: XmlElement,
  parent: string,
  localities: string[],
  districts: string[],
  others: string[],
): void {
  const name = localName(element.name);
  const text = element.text.trim();
  if (
    text !== '' &&
    element.name.startsWith('xAL:') &&
    name !== 'CountryName' &&
    name !== 'CountryNameCode'
  ) {
    const isName = name === 'NameElement';
    if (name === 'LocalityName' || (isName && parent === 'Locality')) localities.push(text);
    else if (name === 'DependentLocalityName' || (isName && parent === 'SubLocality')) districts.push(text);
    else if (!(isName && parent === 'Country')) others.push(text);
  }
  for (const child of element.children) collect(child, name, localities, districts, others);
}
