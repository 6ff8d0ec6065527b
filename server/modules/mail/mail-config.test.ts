import { expect, it } from 'vitest'
import { mailConfig } from './mail-config.ts'

const from = 'tickets@example.org'
const smtp = (url: string) => mailConfig({ url, from })!.smtp

it('is none without both variables, and refuses one without the other', () => {
  expect(mailConfig({ url: '', from: '' })).toBeNull()
  expect(() => mailConfig({ url: 'smtp://mail.example.org', from: '' })).toThrow(/needs MAIL_FROM/)
  expect(() => mailConfig({ url: '', from })).toThrow(/needs SMTP_URL/)
})

it('sends a password over TLS only, unless the operator says otherwise', () => {
  expect(smtp('smtp://mail.example.org')).toMatchObject({ port: 587, auth: null, requireTls: false })
  const auth = { user: 'a@b', pass: 'p:w' }
  expect(smtp('smtp://a%40b:p%3Aw@mail.example.org:2525')).toMatchObject({
    port: 2525,
    auth,
    requireTls: true,
  })
  expect(smtp('smtp://a%40b:p%3Aw@localhost?tls=optional')).toMatchObject({ auth, requireTls: false })
  expect(smtp('smtps://a%40b:p%3Aw@[::1]?certificate=any')).toEqual({
    host: '::1',
    port: 465,
    secure: true,
    requireTls: false,
    verifyCertificate: false,
    auth,
  })
})

it.each([
  'mail.example.org',
  'http://mail.example.org',
  'smtp://',
  'smtp://secret@h/path',
  'smtp://secret@h?debug=true',
])('refuses %s, and does not repeat it', url => {
  expect(() => smtp(url)).toThrow(/SMTP_URL/)
  expect(() => smtp(url)).not.toThrow(/secret/)
})

it('takes a sender with or without a name, and nothing that could add a header', () => {
  const read = (text: string) => mailConfig({ url: 'smtp://h', from: text })!.from
  expect(read(from)).toEqual({ name: null, address: from })
  expect(read(`Karoo Stage <${from}>`)).toEqual({ name: 'Karoo Stage', address: from })
  for (const bad of ['tickets', `<${from}`, `${from}>`, `a\r\nBcc: x <${from}>`, `${from}, x@example.org`]) {
    expect(() => read(bad), bad).toThrow(/MAIL_FROM/)
  }
})
