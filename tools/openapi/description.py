"""Schema/openapi.yaml, and whether a value conforms to it."""

import jsonschema
import yaml

from .faults import fault

METHODS = {"get", "put", "post", "delete", "patch"}


class Description:
    """The parsed file with resolved references."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.document = yaml.safe_load(self.text)
        self.called = set()

    def resolve(self, node):
        while isinstance(node, dict) and set(node) == {"$ref"}:
            node = self.follow(node["$ref"])
        return node

    def follow(self, reference):
        node = self.document
        for part in reference.removeprefix("#/").split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def operation(self, method, template):
        return self.document["paths"][template][method.lower()]

    def operations(self):
        for template, item in self.document["paths"].items():
            for method in METHODS & set(item):
                yield method.upper(), template, item[method]

    def errors(self, schema, value):
        """The ways in which `value` breaks `schema`, a line each."""
        # The whole document is the root, so that references inside schemas are found.
        root = {"$schema": "https://json-schema.org/draft/2020-12/schema", **self.document, "allOf": [schema]}
        for key in ("openapi", "jsonSchemaDialect", "info", "servers", "tags", "paths", "webhooks"):
            root.pop(key, None)
        validator = jsonschema.Draft202012Validator(root, format_checker=jsonschema.FormatChecker())
        return [f"{'/'.join(map(str, error.absolute_path)) or 'the body'}: {error.message[:200]}" for error in validator.iter_errors(value)]

    def check_itself(self):
        """Checks that references resolve, schemas are schemas, and examples conform."""
        self.check_references(self.document)
        for name, schema in self.document["components"]["schemas"].items():
            try:
                jsonschema.Draft202012Validator.check_schema(schema)
            except jsonschema.SchemaError as error:
                fault(f"schema {name}: {error.message}")
        names = [operation["operationId"] for _, _, operation in self.operations()]
        if len(names) != len(set(names)):
            fault("an operationId stands twice")
        for method, template, operation in self.operations():
            bodies = [operation.get("requestBody", {})] + [self.resolve(r) for r in operation["responses"].values()]
            for body in bodies:
                for content in body.get("content", {}).values():
                    self.check_examples(f"{method} {template}", content)

    def check_examples(self, place, content):
        examples = [example["value"] for example in content.get("examples", {}).values()]
        if "example" in content:
            examples.append(content["example"])
        for example in examples:
            for error in self.errors(content["schema"], example):
                fault(f"{place}: an example is none: {error}")

    def check_references(self, node):
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                try:
                    self.follow(node["$ref"])
                except KeyError:
                    fault(f"{node['$ref']} leads nowhere")
            for value in node.values():
                self.check_references(value)
        elif isinstance(node, list):
            for value in node:
                self.check_references(value)
