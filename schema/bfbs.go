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

// builtinAttributes are the attributes that flatc knows, with whether they have a
// value. Where an attribute has none flatc writes "0", so that one of these
// without a value can be told; of others, the "0" may stand in the .fbs.
var builtinAttributes = map[string]bool{
	"bit_flags": false, "cpp_str_flex_ctor": false, "csharp_partial": false, "deprecated": false,
	"flexbuffer": false, "idempotent": false, "key": false, "native_inline": false,
	"offset64": false, "original_order": false, "private": false, "required": false,
	"shared": false, "vector64": false,

	"cpp_ptr_type": true, "cpp_ptr_type_get": true, "cpp_str_type": true, "cpp_type": true,
	"force_align": true, "hash": true, "id": true, "native_custom_alloc": true,
	"native_default": true, "native_type": true, "native_type_pack_name": true,
	"nested_flatbuffer": true, "streaming": true,
}

// readAttribute and writtenValue go from and to what flatc writes for a value.
func readAttribute(key, value string) Attribute {
	if hasValue, ok := builtinAttributes[key]; ok && !hasValue && value == "0" {
		value = ""
	}
	return Attribute{key, value}
}

func (a Attribute) writtenValue() string {
	if a.Value == "" && !builtinAttributes[a.Key] {
		return "0"
	}
	return a.Value
}
