import { RawJson } from './draft.ts'

/** Written as they stand, since JSON.stringify would not write them. */
export const ODD_NUMBERS: readonly RawJson[] = [
  ...['1e999', '-1e999', '1e-400', '-0', '-0.0', '0.1', '-1', '0', '1.5', '1e308', '5e-324', '1e-50'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775809', '9007199254740993', '2147483648'],
  ...['4294967296', '1E+2', '100000000000000000000000000000000000000', '2147483647', '1000000000', '1e9'],
  ...['NaN', 'Infinity', '-Infinity', '0x10', '01', '+1', '.5', '1.', '1e', '1_000', '--1', '１'],
].map(text => new RawJson(text))

/** Valid in JSON; odd in what they say. Lone surrogates and NUL go out as escapes. */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\n\r',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\udc00\ud800',
  '😀'.repeat(50),
  '😀'.slice(0, 1) + 'x'.repeat(199),
  'x'.repeat(201),
  'x'.repeat(10_000),
  '\u202e\u200b\ufeff\u2028\u2029',
  'é\u0301'.repeat(30),
  '\ufffe\uffff',
  'ﷺ'.repeat(200),
  'İ'.repeat(200),
  "' or 1=1; --",
  "'); drop table seats; --",
  '$1',
  '\\',
  '"',
  '{}',
  '{"a","b"}',
  'NULL',
  'null',
  'undefined',
  '[object Object]',
  '../../etc/passwd',
  '%00',
  '%s%n%x',
  '<script>alert(1)</script>',
  '$' + '{7*7}',
  '__proto__',
  'constructor',
  // Text that a careless eye takes for a number.
  '0',
  '-1',
  ' 5 ',
  '1e3',
  '0x10',
  '0b1',
  '1e999',
  'true',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '{00000000-0000-0000-0000-000000000000}',
  '0197a000-0000-7000-8000-00000000000G',
  '0197A000-0000-7000-8000-000000000001',
]

/** Not valid JSON, or only just. */
export const ODD_RAW_TEXTS: readonly RawJson[] = [
  ...['"\0"', '"\n"', '"\t"', '"\\x00"', '"\\u00"', '"\\ud83d"', '"\\udc00\\ud83d"', '"\\u0000"', "'a'"],
  ...['"\ufeff"', '"\u2028"', '"\\ud800\\u0041"', '"unfinished'],
].map(text => new RawJson(text))

/** Times that a format may let through and a calendar or a database may not. */
export const TRICKY_TIMES: readonly string[] = [
  '2026-12-31T23:59:60Z',
  '2026-06-30T23:59:60.999Z',
  '1990-12-31T15:59:60-08:00',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59.999-23:59',
  '2028-02-29T00:00:00Z',
  '2027-03-01t19:30:00z',
  '2027-03-01T19:30:00.12345678901234567Z',
  '2027-03-01T19:30:00-00:00',
  '1969-12-31T23:59:59.999Z',
]

export const TRICKY_DATES: readonly string[] = ['0000-01-01', '9999-12-31', '2028-02-29']

export const ODD_TIMES: readonly string[] = [
  ...TRICKY_TIMES,
  ...TRICKY_DATES,
  '9999-12-31T23:59:59Z',
  '2027-02-29T00:00:00Z',
  '2027-04-31T00:00:00Z',
  '2027-03-01T24:00:00Z',
  '2027-03-01T23:60:00Z',
  '2027-03-01 19:30:00Z',
  '2027-03-01T19:30:00+24:00',
  '2027-03-01T19:30:00',
  '2027-03-01',
  '0000-00-00',
  '2027-02-29',
  '2100-02-29',
  '275761-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  'infinity',
  'now',
]

export const PROTOTYPE_KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  '__defineGetter__',
  'length',
  'then',
]

export const ODD_KEYS: readonly string[] = [
  '',
  ' ',
  '\0',
  '\ud800',
  'a/b~c',
  'x'.repeat(1_000),
  '$where',
  '0',
  '-1',
  'organization_id',
  'role',
  'é',
]

/** In a path or a query: already written as they go over the wire. */
export const ODD_URL_TEXTS: readonly string[] = [
  ...['%00', 'a%00b', '%', '%1', '%zz', '%ff', '%c3%28', '%ED%A0%80', '%ED%BF%BF', '%u0000', '%F0%9F%98%80'],
  ...[
    '%0d%0a',
    '%0d%0aX-Injected:%201',
    '%2e%2e%2f',
    '..',
    '../..',
    '%2f',
    '%5c',
    '%25',
    '%2500',
    '%23',
    '%3f',
  ],
  ...['null', 'undefined', 'NaN', '0', '-1', '1e3', '1.0', '+1', '01', '2147483648', '9223372036854775808'],
  ...['__proto__', 'constructor', '*', ':event', '{id}', "'", '%27%20or%201=1', '%20', '+', '%EF%BB%BF', '~'],
  ...['00000000-0000-0000-0000-000000000000', '0197A000-0000-7000-8000-000000000001', '0197a000%2d0000'],
  ...[
    '%7B0197a000-0000-7000-8000-000000000001%7D',
    '0197a000-0000-7000-8000-000000000001%00',
    'x'.repeat(199),
  ],
  ...['x'.repeat(201), 'x'.repeat(4_000), '%F0%9F%98%80'.repeat(50), '.', '%2e', ';a=b', 'a;b', 'a,b'],
]
