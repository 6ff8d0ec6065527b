import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { RESERVED_SLUGS } from '@voelgoed/contract/common'
import { routes } from '@voelgoed/contract/routes'
import { ROOT_KEY, startTestServer, type TestServer } from '@voelgoed/testing/harness'
import { temporaryFolder } from '@voelgoed/testing/process'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SHELL = '<!doctype html><title>Shell</title>'
const SCRIPT = 'console.log("the page")'
const ICON = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let server: TestServer

beforeAll(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder.path, 'assets'))
  await writeFile(join(folder.path, 'index.html'), SHELL)
  await writeFile(join(folder.path, 'sw.js'), SCRIPT)
  await writeFile(join(folder.path, 'icon.svg'), ICON)
  await writeFile(join(folder.path, 'assets/app-Ab12.js'), SCRIPT)
  await writeFile(join(folder.path, 'assets/app-Ab12.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(join(folder.path, 'assets/app-Ab12.js.gz'), gzipSync(SCRIPT))
  server = await startTestServer({}, { pageFolder: folder.path })
})
afterAll(async () => {
  await server.close()
  await folder.remove()
})

describe("the buyers' page", () => {
  it('is the same shell at every address of a storefront, asked about each time, with a strict policy', async () => {
    for (const url of [
      '/',
      '/voelgoed',
      '/voelgoed/events/01970000-0000-7000-8000-000000000000',
      '/voelgoed/account',
      '/voelgoed/password',
      '/voelgoed/events/01970000-0000-7000-8000-000000000000/checkout',
      '/voelgoed/checkout/01970000-0000-7000-8000-000000000000',
      '/voelgoed/orders/01970000-0000-7000-8000-000000000000?secret=s',
      '/unknown',
    ]) {
      const answer = await server.request('GET', url, { headers: html })
      expect(answer.status).toBe(200)
      expect(answer.text).toBe(SHELL)
      expect(answer.headers['cache-control']).toBe('no-cache')
      expect(answer.headers['content-security-policy']).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self'/,
      )
      expect(answer.headers['content-security-policy']).not.toContain('unsafe')
      expect(answer.headers['referrer-policy']).toBe('same-origin')
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
      const etag = String(answer.headers.etag)
      expect(etag).toMatch(/^"/)
      const again = await server.request('GET', url, {
        headers: { ...html, 'if-none-match': `"x", ${etag}` },
      })
      expect(again.status).toBe(304)
    }
  })

  it('the scanner has the camera and a decoder, and no page else has', async () => {
    const scanner = await server.request('GET', '/scan', { headers: html })
    expect(scanner.status).toBe(200)
    expect(scanner.headers['permissions-policy']).toContain('camera=(self)')
    expect(scanner.headers['content-security-policy']).toContain("script-src 'self' 'wasm-unsafe-eval';")
    const store = await server.request('GET', '/voelgoed', { headers: html })
    expect(store.headers['permissions-policy']).toContain('camera=()')
    expect(store.headers['content-security-policy']).toContain("script-src 'self';")
    expect((await server.request('GET', '/Scan/', { headers: html })).headers.location).toBe('/scan')
    expect((await server.request('GET', '/scan/more', { headers: html })).status).toBe(404)
  })

  it('assets never change and come as small as the browser can read', async () => {
    const url = '/assets/app-Ab12.js'
    const plain = await server.request('GET', url)
    expect(plain.text).toBe(SCRIPT)
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const etags = new Set([plain.headers.etag])
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, br;q=0', 'gzip'],
      ['gzip', 'gzip'],
    ] as const) {
      const answer = await server.request('GET', url, { headers: { 'accept-encoding': accepted } })
      expect(answer.headers['content-encoding']).toBe(encoding)
      expect(answer.headers.vary).toContain('accept-encoding')
      etags.add(answer.headers.etag)
    }
    expect(etags.size).toBe(3)
    const worker = await server.request('GET', '/sw.js')
    expect(worker.headers['cache-control']).toBe('no-cache')
  })

  it('a program that asks for an address that does not exist gets the JSON problem', async () => {
    const notFound = async (url: string, headers = {}) => {
      const answer = await server.request('GET', url, { headers })
      expect(`${url} ${answer.status} ${answer.body?.code}`).toBe(`${url} 404 not_found`)
    }
    for (const url of ['/unknown', '/assets/app-Zz.js', '/assets/../index.html', '/voelgoed/nothing']) {
      await notFound(url)
    }
    // Under /api also for a browser.
    for (const url of ['/api/nothing', '/api', '/api/', '/assets/app-Zz.js']) await notFound(url, html)
  })

  it('a person at an address that does not exist gets the page, with status 404', async () => {
    for (const url of [
      '/voelgoed/nothing',
      '/voelgoed/events/not-an-id',
      '/voelgoed/events/01970000-0000-7000-8000-000000000000/more',
      '/voelgoed/orders/01970000-0000-7000-8000-000000000000/checkout',
      '/voelgoed/checkout/not-an-id',
      '/Not_A_Slug',
      '/docs/nothing',
      '/Docs/Nothing',
      '/Api/Events',
      '//elsewhere.example/there/',
    ]) {
      const answer = await server.request('GET', url, { headers: html })
      expect(`${url} ${answer.status}`).toBe(`${url} 404`)
      expect(answer.text).toBe(SHELL)
      expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'/)
      const again = await server.request('GET', url, {
        headers: { ...html, 'if-none-match': String(answer.headers.etag) },
      })
      expect(again.status).toBe(404)
    }
  })

  it('trailing slashes and capitals lead to the one address of a page', async () => {
    const event = '01970000-0000-7000-8000-00000000000a'
    for (const [url, to] of [
      ['/voelgoed/', '/voelgoed'],
      ['/Voelgoed', '/voelgoed'],
      ['/VOELGOED//', '/voelgoed'],
      ['/docs/', '/docs'],
      ['/Docs', '/docs'],
      ['/DOCS/?from=mail', '/docs?from=mail'],
      [`/Voelgoed/Events/${event.toUpperCase()}`, `/voelgoed/events/${event}`],
      [`/voelgoed/EVENTS/${event}?From=Mail`, `/voelgoed/events/${event}?From=Mail`],
      [`/Voelgoed/events/${event}/?from=mail`, `/voelgoed/events/${event}?from=mail`],
      [`/Voelgoed/Events/${event}/Checkout/`, `/voelgoed/events/${event}/checkout`],
      [`/voelgoed/Orders/${event}?secret=Ab`, `/voelgoed/orders/${event}?secret=Ab`],
      // Never to another host.
      ['//elsewhere/', '/elsewhere'],
    ] as const) {
      const answer = await server.request('GET', url, { headers: html })
      expect(`${url} ${answer.status} ${answer.headers.location}`).toBe(`${url} 308 ${to}`)
    }
  })

  it('has an icon, also at the address that browsers try by themselves', async () => {
    for (const url of ['/icon.svg', '/favicon.ico']) {
      const answer = await server.request('GET', url)
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('image/svg+xml')
    }
  })

  it('no organization takes an address of the server', async () => {
    const own = new Set([
      ...routes.map(({ path }) => path.split('/')[1]!),
      'assets',
      'console',
      'look',
      'scan',
    ])
    expect([...own].filter(name => !name.includes('.')).sort()).toEqual(RESERVED_SLUGS)
    for (const slug of RESERVED_SLUGS) {
      const answer = await server.request('POST', '/api/platform/organizations', {
        token: ROOT_KEY,
        body: { name: 'Sly', slug },
      })
      expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/slug' }] })
    }
  })
})

it('where Stripe takes the money, the page to pay on allows its form, and no other page does', async () => {
  const keys = {
    STRIPE_SECRET_KEY: 'sk_test_51example',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_51example',
    STRIPE_WEBHOOK_SECRET: 'whsec_example',
  }
  const node = await startListeningNode(server.database.url, keys, { pageFolder: folder.path })
  const policyOf = async (path: string) => {
    const answer = await fetch(node.url + path, { headers: html })
    return answer.headers.get('content-security-policy')
  }
  const id = '01970000-0000-7000-8000-000000000000'
  const toPay = await policyOf(`/voelgoed/checkout/${id}`)
  expect(toPay).toContain("script-src 'self' https://js.stripe.com https://*.js.stripe.com;")
  expect(toPay).toContain("frame-ancestors 'none'")
  for (const path of ['/voelgoed', `/voelgoed/events/${id}/checkout`, `/voelgoed/orders/${id}`]) {
    expect(await policyOf(path)).not.toContain('stripe')
  }
  await node.close()
})

it('without a built page the API works, and the front door says what to do', async () => {
  const bare = await startListeningNode(server.database.url, {}, { pageFolder: join(folder.path, 'nowhere') })
  const answer = await fetch(bare.url, { headers: html })
  expect(answer.status).toBe(404)
  expect(await answer.text()).toContain('npm run build')
  // It is not ready while Postgres keeps it waiting.
  await expect.poll(async () => (await fetch(`${bare.url}/readyz`)).status).toBe(200)
  await bare.close()
})
