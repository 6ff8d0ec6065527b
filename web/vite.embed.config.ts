import { defineConfig, type Plugin } from 'vite'

/** `<voelgoed-seats>` as one file, for the pages of other sites (docs/guide/embedding.md). */
export default defineConfig({
  root: import.meta.dirname,
  // The public folder is the page's.
  publicDir: false,
  plugins: [withoutStyleFiles()],
  build: {
    target: 'es2022',
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: 'src/embed/voelgoed-seats.ts',
      output: { entryFileNames: 'voelgoed-seats.js' },
    },
  },
})

/** The component has its styles in itself, and brings none into the page of the site. */
function withoutStyleFiles(): Plugin {
  return {
    name: 'without-style-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const name of Object.keys(bundle)) if (name.endsWith('.css')) delete bundle[name]
    },
  }
}
