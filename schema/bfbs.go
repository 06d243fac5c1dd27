package schema

// BFBSIdentifier is the file identifier of a .bfbs, at its bytes 4 to 7.
const BFBSIdentifier = "BFBS"

// The ids of the fields of reflection.fbs, by table. An entry that is missing
// here (EnumVal.object) is deprecated there.
const (
	schemaObjects, schemaEnums, schemaFileIdent, schemaFileExt    = 0, 1, 2, 3
	schemaRootTable, schemaServices, schemaFeatures, schemaFiles  = 4, 5, 6, 7
	objectName, objectFields, objectIsStruct, objectMinAlign      = 0, 1, 2, 3
	objectByteSize, objectAttributes, objectDoc, objectFile       = 4, 5, 6, 7
	fieldName, fieldType, fieldID, fieldOffset                    = 0, 1, 2, 3
	fieldDefaultInteger, fieldDefaultReal, fieldDeprecated        = 4, 5, 6
	fieldRequired, fieldKey, fieldAttributes, fieldDoc            = 7, 8, 9, 10
	fieldOptional, fieldPadding, fieldOffset64                    = 11, 12, 13
	typeBase, typeElement, typeIndex, typeFixedLength             = 0, 1, 2, 3
	typeBaseSize, typeElementSize                                 = 4, 5
	enumName, enumValues, enumIsUnion, enumUnderlying             = 0, 1, 2, 3
	enumAttributes, enumDoc, enumFile                             = 4, 5, 6
	enumValName, enumValValue, enumValType, enumValDoc            = 0, 1, 3, 4
	enumValAttributes                                             = 5
	serviceName, serviceCalls, serviceAttributes, serviceDoc      = 0, 1, 2, 3
	serviceFile                                                   = 4
	callName, callRequest, callResponse, callAttributes, callDoc  = 0, 1, 2, 3, 4
	keyValueKey, keyValueValue                                    = 0, 1
	fileName, fileIncludes                                        = 0, 1
	numSchema, numObject, numField, numType, numEnum, numEnumVal  = 8, 8, 14, 6, 7, 6
	numService, numCall, numKeyValue, numFile                     = 5, 5, 2, 2
	defaultTypeIndex, defaultTypeBaseSize, defaultTypeElementSize = -1, 4, 0
)

// flagAttributes are the built-in attributes without a value. flatc writes
// the value "0" for them, as for every attribute without one, and so the "0"
// of an attribute that is not listed here may or may not stand in the .fbs.
var flagAttributes = map[string]bool{
	"bit_flags": true, "cpp_str_flex_ctor": true, "csharp_partial": true, "deprecated": true,
	"flexbuffer": true, "idempotent": true, "key": true,
	"native_inline": true, "offset64": true, "original_order": true, "private": true,
	"required": true, "shared": true, "vector64": true,
}
