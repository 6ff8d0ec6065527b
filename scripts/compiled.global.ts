export { compileForProcesses as default } from './compiled.ts'
