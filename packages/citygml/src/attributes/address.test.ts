import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feature } from '../testing/fixtures.ts';
import { addressText } from './address.ts';

const text = (content: string) =>
  addressText(
    feature(
      `<bldg:address><core:Address><core:xalAddress><xAL:AddressDetails>${content}` +
        `</xAL:AddressDetails></core:xalAddress></core:Address></bldg:address>`,
    ),
  );

test('localities come before districts, whatever their order in the file', () => {
  assert.equal(
    text(
      '<xAL:DependentLocalityName>緑町</xAL:DependentLocalityName><xAL:LocalityName>見本市</xAL:LocalityName>' +
        '<xAL:DependentLocalityName>一丁目</xAL:DependentLocalityName>',
    ),
    '見本市緑町一丁目',
  );
});

test('names of version 3 of xAL count by the element above them', () => {
  const name = (value: string) => `<xAL:NameElement>${value}</xAL:NameElement>`;
  const street = `<xAL:Thoroughfare>${name('大通り')}</xAL:Thoroughfare>`;
  const country = `<xAL:Country>${name('日本')}</xAL:Country>`;
  const district = `<xAL:SubLocality>${name('緑町')}</xAL:SubLocality>`;
  const locality = `<xAL:Locality>${name('見本市')}${district}</xAL:Locality>`;
  assert.equal(text(country + street + locality), '見本市緑町');
  assert.equal(text(country + district + street), '緑町');
  assert.equal(text(country + street), '大通り');
  assert.equal(text(country), '');
});

test('other names stand in their order where there is neither locality nor district, without the country', () => {
  assert.equal(
    text(
      '<xAL:Country><xAL:CountryName>日本</xAL:CountryName><xAL:CountryNameCode>JP</xAL:CountryNameCode>' +
        '<xAL:AdministrativeAreaName>静岡県</xAL:AdministrativeAreaName><xAL:PremiseName> 七 </xAL:PremiseName>' +
        '<xAL:Locality>台</xAL:Locality></xAL:Country>',
    ),
    '静岡県七台',
  );
});

test('what lies in another namespace is no part of an address', () => {
  assert.equal(text('<gml:LocalityName>一</gml:LocalityName><xAL:LocalityName>二</xAL:LocalityName>'), '二');
});
