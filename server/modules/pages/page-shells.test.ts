import { expect, it } from 'vitest'
import { PageShells, pageAt } from './page-shells.ts'

const ID = '01a00000-0000-7000-8000-000000000000'

it.each([
  ['/', 'home'],
  ['/shop', 'storefront'],
  [`/shop/events/${ID}`, 'event'],
  [`/shop/events/${ID}/checkout`, 'checkout'],
  [`/shop/checkout/${ID}`, 'pay'],
  [`/shop/orders/${ID}`, 'order'],
  ['/shop/account', 'account'],
  ['/shop/password', 'password'],
  ['/console', 'console'],
  ['/shop/console/events', 'console'],
  ['/scan', null],
  ['/look', null],
])('%s is the page %s', (address, page) => {
  expect(pageAt(address)).toBe(page)
})

it('a shell names the files of its page and of the language that the browser asks for', () => {
  const shells = new PageShells('<html><head></head></html>', {
    order: ['/assets/Order-1.js'],
    pay: ['/assets/Pay-1.js'],
    en: ['/assets/en-1.js'],
    af: ['/assets/af-1.js'],
  })
  const order = shells.get('order', 'af-ZA,en;q=0.5')
  expect(order.identity.toString()).toBe(
    '<html><head><link rel="modulepreload" crossorigin href="/assets/Order-1.js">' +
      '<link rel="modulepreload" crossorigin href="/assets/af-1.js"></head></html>',
  )
  expect(shells.get('order', 'af')).toBe(order)
  const pay = shells.get('pay', null)
  expect(pay.identity.toString()).toContain('/assets/Pay-1.js')
  expect(pay.identity.toString()).toContain('/assets/en-1.js')
  expect(pay.etag).not.toBe(order.etag)
})
