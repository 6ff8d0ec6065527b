export interface BinaryPackage {
  /** The npm package's folder; Postgres lies in its `native`. */
  dir: string
  /** For example 18.4.0-beta.17; the first number is Postgres's major version. */
  version: string
  major: string
}
