import { createHash } from 'node:crypto'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte(), listPageFiles()],
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
        chunkFileNames: chunk => `assets/${isOfScan(chunk.moduleIds) ? 'scan-' : ''}[name]-[hash].js`,
        assetFileNames: asset => `assets/${isOfScan(asset.names) ? 'scan-' : ''}[name]-[hash][extname]`,
      },
    },
  },
  worker: {
    format: 'es',
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/scan-[name]-[hash].js',
        assetFileNames: 'assets/scan-[name]-[hash][extname]',
      },
    },
  },
})

/** Of the scanner's page alone: buyers neither load nor keep it. */
function isOfScan(names: readonly string[]): boolean {
  return names.some(name => /\/src\/scan\/|^ScanPage/.test(name))
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
      const page = JSON.stringify({
        version,
        files: paths.filter(path => !ofScan(path)),
        scanFiles: paths.filter(ofScan),
      })
      const worker = bundle['sw.js']
      if (worker?.type === 'chunk') worker.code = worker.code.replaceAll('__PAGE__', page)
    },
  }
}
