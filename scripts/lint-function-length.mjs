// A lint rule for the length of functions. Lines of a function inside another one count for the inner one only:
// objects of this project are closures, and a long list of short functions is not a long function. All lines of a
// function together have a limit of their own.

/** Returns the lines with code: neither blank nor only a comment. */
function linesWithCode({ ast, getTokens }) {
  const lines = new Set();
  for (const { loc } of ast.tokens ?? getTokens(ast))
    for (let line = loc.start.line; line <= loc.end.line; line += 1) lines.add(line);
  return lines;
}

const ownLines = {
  meta: {
    schema: [{ type: "object", properties: { max: { type: "integer" }, maxGross: { type: "integer" } } }],
  },
  create({ options: [{ max, maxGross }], sourceCode, report }) {
    /** Functions around the current place, each with the lines of its inner functions. */
    const open = [];
    let withCode;

    function enter() {
      open.push(new Set());
    }

    function leave(node) {
      const inner = open.pop();
      const first = node.loc.start.line;
      const last = node.loc.end.line;
      // An inner function shares its first and last line with the outer one.
      const outer = open.at(-1);
      if (outer !== undefined) for (let line = first + 1; line < last; line += 1) outer.add(line);
      const gross = last - first + 1;
      if (gross > maxGross)
        report({
          node,
          message: `A function of ${gross} lines with all functions inside it. The maximum is ${maxGross}.`,
        });
      if (gross - inner.size <= max) return;
      withCode ??= linesWithCode(sourceCode);
      let own = 0;
      for (let line = first; line <= last; line += 1) if (withCode.has(line) && !inner.has(line)) own += 1;
      if (own > max)
        report({
          node,
          message: `A function of ${own} lines, without the functions inside it. The maximum is ${max}.`,
        });
    }

    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      "FunctionDeclaration:exit": leave,
      "FunctionExpression:exit": leave,
      "ArrowFunctionExpression:exit": leave,
    };
  },
};

export default { meta: { name: "functions" }, rules: { "own-lines": ownLines } };
