import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    svelte({ compilerOptions: { cssHash } }),
    bareIcons(),
    listPageFiles(),
    listPageParts(),
    askFirst(),
    compileAhead(),
  ],
  build: {
    target: 'es2022',
    // The page's policy allows no inline scripts, and every browser we support preloads modules by itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // A part may come with a dialog that is late itself, or alone: either way it comes when it is needed.
      checks: { pluginTimings: false, ineffectiveDynamicImport: false },
      input: { index: 'index.html', sw: 'src/service-worker.ts', early: 'src/early.ts' },
      output: {
        // At the root and always by the same name: that is where browsers look for it,
        // and how far it reaches.
        entryFileNames: chunk => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: chunk => `assets/${ownerOf(chunk.moduleIds)}[name]-[hash].js`,
        assetFileNames: asset => `assets/${ownerOf(asset.names)}[name]-[hash][extname]`,
        // Several pages share many small files: one is sooner there, because a browser asks for six at a
        // time.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'svelte', test: /node_modules\/(svelte|clsx)\/|preload-helper/ },
            { name: 'base', test: isSharedByBuyers, minShareCount: 2 },
            { name: 'hall', test: isSharedByHalls, minShareCount: 2 },
            { name: 'refusals', test: /\/src\/kit\/refusals\//, minShareCount: 2 },
          ],
        },
      },
    },
  },
  worker: {
    format: 'es',
    rolldownOptions: {
      output: {
        entryFileNames: chunk =>
          `assets/${chunk.name === 'decode-worker' ? 'scan' : 'console'}-[name]-[hash].js`,
        assetFileNames: 'assets/scan-[name]-[hash][extname]',
      },
    },
  },
})

/** The class that a component's styles apply to. It is on most elements, so it is short. */
function cssHash({ hash, css }: { hash(text: string): string; css: string }): string {
  return `s-${hash(css).slice(0, 5)}`
}

/** An icon's file keeps only its shapes: Icon.svelte has the element around them, the same for all. */
function bareIcons(): Plugin {
  return {
    name: 'bare-icons',
    enforce: 'pre',
    load(id) {
      const [path] = /^[^?]+\/lucide-static\/icons\/[\w-]+\.svg(?=\?raw$)/.exec(id) ?? []
      if (path === undefined) return null
      const [, shapes] = /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(path, 'utf8')) ?? []
      if (shapes === undefined) throw new Error(`${path} is no icon`)
      return `export default ${JSON.stringify(shapes.replace(/\s*\n\s*/g, ''))}`
    },
    // Their licence goes with them.
    generateBundle() {
      const license = new URL('../node_modules/lucide-static/LICENSE', import.meta.url)
      this.emitFile({ type: 'asset', fileName: 'icons-license.txt', source: readFileSync(license) })
    },
  }
}

const BUYERS_ICONS = readFileSync(new URL('./src/kit/look/icons.ts', import.meta.url), 'utf8')

function isSharedByBuyers(id: string): boolean {
  const [, icon] = /lucide-static\/icons\/([\w-]+)\.svg/.exec(id) ?? []
  if (icon) return BUYERS_ICONS.includes(`/${icon}.svg`)
  return /\/src\/(kit\/(look\/(?!page|Segments)|parts\/(?!ConfirmAddressForm)|state|words\/(format|language|staff-refusals))|buyer\/event\/\w+\/(sale|clock-face))|\/core\/(access|brand\/|event\/sale-window|prices\/currency)|\/client\//.test(
    id,
  )
}

/** The map, and what the event and the pages after it say of a cart. No more: all of it comes with a map. */
function isSharedByHalls(id: string): boolean {
  return /\/src\/(map\/|kit\/live-seats\/|buyer\/event\/\w+\/(CartTotal|choices|hold|price|seat-(ranges|words)))|\/core\/(ids|sha1|layout\/(levels|model)|map\/format|prices\/|result)|@noble\/hashes/.test(
    id,
  )
}

/**
 * It belongs to the scanner's page, the console, the page that shows the look, or the payment simulator,
 * which no real shop has: buyers neither load nor keep it. Nor do they keep the page of passwords, which is
 * of no use without a network: those load it who have forgotten theirs.
 */
function ownerOf(names: readonly string[]): 'scan-' | 'console-' | 'look-' | 'simulator-' | 'password-' | '' {
  if (names.some(name => /\/src\/gate\/|^ScanPage/.test(name))) return 'scan-'
  if (names.some(name => /\/src\/console\/|\/look\/Segments|^Console/.test(name))) return 'console-'
  if (names.some(name => /\/checkout\/(CardForm|TestCards)|^CardForm/.test(name))) return 'simulator-'
  if (names.some(name => /PasswordPage/.test(name))) return 'password-'
  return names.some(name => /\/look\/page\/|^LookPage/.test(name)) ? 'look-' : ''
}

/**
 * Lets a browser ask with the page's first bytes for the font, and for a small file that needs none of the
 * others and waits for none of them.
 */
function askFirst(): Plugin {
  return {
    name: 'ask-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const named = (name: RegExp) => {
          const found = Object.keys(bundle).find(file => name.test(file))
          if (found === undefined) throw new Error(`The page has no file ${name}`)
          return `/${found}`
        }
        const href = named(/figtree-latin-wght-normal.*\.woff2$/)
        const font = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href }
        // Before all other files, and behind what the server says of the page, which it reads. Without a word
        // browsers ask last for what does not hold up the page.
        const src = named(/\/early-.*\.js$/)
        const early = `<script type="module" async fetchpriority="high" src="${src}"></script>`
        const [entry] = /<script type="module"/.exec(html) ?? []
        if (entry === undefined) throw new Error('The page has no script')
        return {
          html: html.replace(entry, `${early}\n    ${entry}`),
          tags: [{ tag: 'link', attrs: font, injectTo: 'head' }],
        }
      },
    },
  }
}

/** The server names the files of these in the document of a page: browsers ask for all of them at once. */
const PARTS = {
  home: '/buyer/pages/Home.svelte',
  storefront: '/buyer/pages/Storefront.svelte',
  event: '/buyer/pages/EventPage.svelte',
  checkout: '/buyer/pages/CheckoutPage.svelte',
  pay: '/buyer/pages/PayPage.svelte',
  order: '/buyer/pages/OrderPage.svelte',
  password: '/buyer/pages/PasswordPage.svelte',
  console: '/console/ConsolePage.svelte',
  en: '/kit/words/en.ts',
  af: '/kit/words/af.ts',
}

/** Tells the server what each page needs besides the shell (server/modules/pages/page-parts.ts). */
function listPageParts(): Plugin {
  return {
    name: 'list-page-parts',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const filesOf = (name: string, found = new Set<string>()): Set<string> => {
          const chunk = bundle[name]
          if (chunk?.type !== 'chunk' || found.has(name)) return found
          found.add(name)
          for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style)
          for (const imported of chunk.imports) filesOf(imported, found)
          return found
        }
        const entry = Object.values(bundle).find(file => file.type === 'chunk' && file.name === 'index')
        const inShell = filesOf(entry?.fileName ?? '')
        const parts = Object.entries(PARTS).map(([part, module]) => {
          const chunk = Object.values(bundle).find(
            file => file.type === 'chunk' && file.facadeModuleId?.endsWith(`/src${module}`),
          )
          if (!chunk) throw new Error(`${module} has no file of its own`)
          return [
            part,
            [...filesOf(chunk.fileName)].filter(name => !inShell.has(name)).map(name => `/${name}`),
          ]
        })
        const source = JSON.stringify(Object.fromEntries(parts))
        this.emitFile({ type: 'asset', fileName: 'page-parts.json', source })
      },
    },
  }
}

/** Most of what is in these files runs before a buyer sees the page. */
const OF_FIRST_VIEW = /^(index|early|svelte|base|hall|en|af|Home|Storefront|YourTickets|\w+Page)$/

/**
 * Asks Chromium to compile every function of a file while the file loads, on another thread. Otherwise it
 * compiles each function when it is first called, on the thread that answers presses: a tenth of the time
 * that an event takes there. The line must be the first of its file: after all others who write into it.
 */
function compileAhead(): Plugin {
  return {
    name: 'compile-ahead',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== 'chunk' || !OF_FIRST_VIEW.test(file.name)) continue
          file.code = `//# allFunctionsCalledOnLoad\n${file.code}`
        }
      },
    },
  }
}

/** Tells the service worker what the page is made of. */
function listPageFiles(): Plugin {
  return {
    name: 'list-page-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const files = Object.keys(bundle).filter(name => name.startsWith('assets/'))
      const version = createHash('sha256').update(files.sort().join()).digest('hex').slice(0, 12)
      const paths = files.map(name => `/${name}`)
      const ofScan = (path: string) => path.startsWith('/assets/scan-')
      // The console is of no use without a network: no device keeps it.
      const isKept = (path: string) => !/^\/assets\/(scan|console|look|simulator|password)-/.test(path)
      /** People read one language: a device keeps the words of that one. */
      const wordsOf = (path: string) => /^\/assets\/(en|af)-[^/]+\.js$/.exec(path)?.[1] ?? null
      const page = JSON.stringify({
        version,
        files: paths.filter(path => isKept(path) && wordsOf(path) === null),
        words: Object.fromEntries(paths.map(path => [wordsOf(path), path]).filter(([code]) => code !== null)),
        scanFiles: paths.filter(ofScan),
      })
      const worker = bundle['sw.js']
      if (worker?.type === 'chunk') worker.code = worker.code.replaceAll('__PAGE__', page)
    },
  }
}
