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
      },
    },
  },
})

/** Tells the service worker what the page is made of. */
function listPageFiles(): Plugin {
  return {
    name: 'list-page-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const files = Object.keys(bundle).filter(name => name.startsWith('assets/'))
      const version = createHash('sha256').update(files.sort().join()).digest('hex').slice(0, 12)
      const page = JSON.stringify({ version, files: files.map(name => `/${name}`) })
      const worker = bundle['sw.js']
      if (worker?.type === 'chunk') worker.code = worker.code.replaceAll('__PAGE__', page)
    },
  }
}
