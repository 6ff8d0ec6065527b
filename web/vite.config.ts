import { createHash } from 'node:crypto'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte(), listPageFiles(), preloadFont()],
  build: {
    target: 'es2022',
    // The page's policy allows no inline scripts, and every browser we support preloads modules by itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: { index: 'index.html', sw: 'src/service-worker.ts' },
      output: {
        // At the root and always by the same name: that is where browsers look for it,
        // and how far it reaches.
        entryFileNames: chunk => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: chunk => `assets/${ownerOf(chunk.moduleIds)}[name]-[hash].js`,
        assetFileNames: asset => `assets/${ownerOf(asset.names)}[name]-[hash][extname]`,
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

/** Of the scanner's page, the console, or the page that shows the look: buyers neither load nor keep it. */
function ownerOf(names: readonly string[]): 'scan-' | 'console-' | 'look-' | '' {
  if (names.some(name => /\/src\/scan\/|^ScanPage/.test(name))) return 'scan-'
  if (names.some(name => /\/src\/admin\/|^ConsolePage/.test(name))) return 'console-'
  return names.some(name => /\/look\/page\/|^LookPage/.test(name)) ? 'look-' : ''
}

/** The font is asked for with the page's first bytes, not only when its style sheet has been read. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find(name => /figtree-latin-wght-normal.*\.woff2$/.test(name))
        if (font === undefined) throw new Error('The font is not part of the page')
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${font}` }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
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
      const isKept = (path: string) => !/^\/assets\/(scan|console|look)-/.test(path)
      const page = JSON.stringify({
        version,
        files: paths.filter(isKept),
        scanFiles: paths.filter(ofScan),
      })
      const worker = bundle['sw.js']
      if (worker?.type === 'chunk') worker.code = worker.code.replaceAll('__PAGE__', page)
    },
  }
}
