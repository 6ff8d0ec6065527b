/** A file as text: Vite and scripts/build/programs.mjs put it into the program. */
declare module '*?raw' {
  const text: string
  export default text
}
