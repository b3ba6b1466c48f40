// Builds the page's script and style into ../page, byte for byte the same wherever it is run.
import { build } from "esbuild";
import { copyFile } from "node:fs/promises";

const shared = { bundle: true, minify: true, charset: "utf8", legalComments: "none", logLevel: "warning" };
await build({ ...shared, entryPoints: ["src/main.ts"], format: "iife", target: "es2022", outfile: "../page/view.js" });
await build({ ...shared, entryPoints: ["src/play.ts"], format: "iife", target: "es2022", outfile: "../page/play.js" });
await build({ ...shared, entryPoints: ["src/style.css"], outfile: "../page/view.css" });
await build({ ...shared, entryPoints: ["src/play.css"], outfile: "../page/play.css" });
await copyFile("src/index.html", "../page/index.html");
await copyFile("src/play.html", "../page/play.html");
