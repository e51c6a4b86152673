require('../../infra/launch/node24.cjs').runNode24(`${__dirname}/src/main.ts`, process.argv.slice(2))
